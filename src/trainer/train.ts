import { makeMinibatches } from "#algorithms/batch.ts";
import { needsDemonstrations, needsReference, refuseUnmetNeeds } from "#algorithms/needs.ts";
import type { Split, Task } from "#core/environment.ts";
import { PolicyError } from "#core/errors.ts";
import { fingerprint } from "#core/json.ts";
import { createRng } from "#core/rng.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";
import { markOf, markUpdates } from "#run/fingerprint.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { EvaluationReport, RunEvent, Subject } from "#run/run-event.ts";
import { changeFrom } from "#run/settings-changes.ts";
import type { Arena } from "./arena.ts";
import { boardRows } from "./board-rows.ts";
import { evaluate, evaluateScripted, EVALUATION_SEED } from "./evaluate.ts";
import { groupRecord, mostInformative } from "./group-record.ts";
import { batchOf, type SampledBatch } from "./laboratory/batches.ts";
import { updateMetrics } from "./metrics.ts";
import { demonstrationBatches, refuseUnplayable } from "./pretrain.ts";
import { providedTo, rollOut } from "./roll-out.ts";
import { refuseShortContext } from "./room-to-see.ts";
import type { Gate, Practice, Resume } from "./runtime.ts";
import type { SecondNetworks } from "./scorer.ts";
import { practise, teachNetworks } from "./scorer/in-run.ts";
import { NO_NETWORKS } from "./scorer/open.ts";
import { Steps } from "./steps.ts";

export interface TrainDeps<T extends Task, S> {
  readonly arena: Arena<T, S>;
  /** Holds the starting weights. */
  readonly policy: EnginePolicy;
  /** As `networksOf` opens them, at their start; none where the settings need none. */
  readonly networks?: SecondNetworks;
  /** Milliseconds; only ever written under `timing`. */
  readonly now: () => number;
  readonly gate: Gate;
  /** Where an earlier run stood right after an `update` event: this one goes on from there. */
  readonly resume?: Resume;
  /** Told how far a judge has practised before the first update. */
  readonly practised?: ((progress: Practice) => void) | undefined;
  /** Told what was sampled for an update, before anything is learnt from it. Nothing it does may reach the run. */
  readonly watch?: (batch: SampledBatch<T, S>) => void;
}

/** The remedy is data as well: the page offers it from the last kept update on, which is one whose steps had all been seen to be finite. */
function notFinite({ algorithm }: RunConfig, what: string, value: number): PolicyError {
  const slower = algorithm.learningRate / 4;
  return new PolicyError(`the ${what} is ${value}: try a learning rate of ${slower}`, { fault: "not-finite", setting: "algorithm.learningRate", value: slower });
}

const learningRateAt = ({ algorithm: { learningRate, warmup } }: RunConfig, update: number): number =>
  learningRate * Math.min(1, update / Math.max(1, warmup));

/**
 * The whole run as events: updates, evaluations every `evaluation.every` of them, the ending. The same seed and arithmetic give the
 * same events but for `timing`; with `resume`, those that come after its `update` event, behind a `settings-changed` where the settings are others now.
 * @throws what the policy or the environment's boundary throws; the caller makes `run-failed` of it.
 */
export async function* train<T extends Task, S>(config: RunConfig, deps: TrainDeps<T, S>): AsyncGenerator<RunEvent, void> {
  const { arena, policy, networks = NO_NETWORKS, now, gate, resume, watch, practised } = deps;
  const rng = createRng(config.seed).fork("train");
  const started = now();
  const seconds = (since: number): number => (now() - since) / 1000;
  const { every, tasks, trials } = config.evaluation;
  const measured = async (split: Split, greedy: boolean): Promise<EvaluationReport> =>
    evaluate(arena, policy, { split, tasks, trials, greedy, seed: EVALUATION_SEED }, gate);
  const evaluationEvent = async (update: number, subject: Subject, of: () => Promise<EvaluationReport | undefined>): Promise<RunEvent | undefined> => {
    const since = now();
    const report = await of();
    return report && { type: "evaluation", update, subject, report, timing: { seconds: seconds(since) } };
  };

  refuseUnmetNeeds(config, providedTo(config, networks));
  if (!resume) {
    refuseShortContext(config, arena);
    await refuseUnplayable(arena);
  }
  const startWeights = await policy.snapshot();
  if (needsReference(config)) policy.setReference(startWeights);
  if (resume) {
    policy.importState(resume.policy);
    networks.importState(resume.networks ?? {});
    const change = changeFrom(resume, config);
    if (change) yield change;
  } else {
    yield {
      type: "run-started", version: 1, config, arithmetic: policy.arithmetic, parameters: policy.layout.parameters,
      vocabulary: arena.harness.vocabulary.words.length, fingerprint: fingerprint(startWeights),
    };
    await practise(config, { arena, policy, networks, gate, practised }, rng.fork("practice"));
  }
  const whenDue = async function* (update: number): AsyncGenerator<RunEvent, void> {
    if (update === 0 || update % every !== 0 || update >= config.updates) return;
    yield { type: "checkpoint", update, fingerprint: fingerprint(await policy.snapshot()) };
    const event = await evaluationEvent(update, "current", () => measured("heldout", false));
    if (event) yield event;
  };

  const marked = new Set(markUpdates(config.updates));
  const from = resume?.update ?? 0;
  let [trajectories, tokens] = [resume?.trajectories ?? 0, resume?.tokens ?? 0];
  yield* whenDue(from);
  for (let update = from + 1; update <= config.updates; update += 1) {
    const since = now();
    const stream = rng.fork(`update/${update}`);
    const rolled = await rollOut(config, { arena, policy, networks, gate }, update, stream);
    const { tasks: played, groups, places, credits, sampled, cost } = rolled;
    const rollout = seconds(since);
    const shown = mostInformative(groups);
    if (watch) watch(batchOf(rolled, { update, weights: await policy.snapshot(), shown }));
    const [group, task, place] = [groups[shown], played[shown], places[shown]];
    if (group && task) {
      const own = credits[shown] ?? [];
      const rows = await boardRows(group, own, config.algorithm.credit, config.reward.id, stream.fork("board"));
      yield { type: "group", update, group: { ...await groupRecord(arena, policy, task, group, own, rows, stream), ...(place && place.round > 0 ? { redrawn: place } : {}) } };
    }
    if (update === 1) {
      // After the first group, so that it appears at once; before the first step, so that it is the starting policy.
      const prompted = { split: "heldout", tasks, trials, greedy: false, seed: EVALUATION_SEED } as const;
      for (const event of [
        await evaluationEvent(0, "base", () => measured("heldout", true)),
        await evaluationEvent(0, "prompted", () => evaluateScripted(arena, "prompted", prompted, gate)),
      ])
        if (event) yield event;
    }
    const learningSince = now();
    await teachNetworks(networks, config, update, sampled, groups, credits);
    const { batches: sampledBatches, trained } = makeMinibatches(groups, credits, config.algorithm.minibatches);
    const batches = needsDemonstrations(config) ? await demonstrationBatches(arena, config, stream.fork("demonstrations")) : sampledBatches;
    const learningRate = learningRateAt(config, update);
    const steps = new Steps(policy, config.algorithm, (what, value) => notFinite(config, what, value));
    for (let epoch = 0; epoch < config.algorithm.epochs; epoch += 1)
      for (const batch of batches) {
        await steps.take(batch, learningRate);
        await gate();
      }
    const metrics = updateMetrics(sampled, trained, cost, await steps.measured(), learningRate);
    trajectories += metrics.trajectories;
    tokens += metrics.tokens;
    const mark = marked.has(update) ? { mark: markOf(await policy.snapshot(), startWeights) } : {};
    yield { type: "update", update, metrics, ...mark, timing: { seconds: seconds(started), rollout, learn: seconds(learningSince) } };
    yield* whenDue(update);
  }
  yield { type: "checkpoint", update: config.updates, fingerprint: fingerprint(await policy.snapshot()) };
  const trained = seconds(started);
  const since = now();
  const heldout = await measured("heldout", true);
  yield { type: "evaluation", update: config.updates, subject: "current", report: heldout, timing: { seconds: seconds(since) } };
  const shifted = await measured("shifted", true);
  yield { type: "run-finished", updates: config.updates, trajectories, tokens, heldout, shifted, timing: { seconds: trained } };
}
