import { evaluateObjective } from "#algorithms/objectives/registry.ts";
import { assignCredit } from "#algorithms/credit/registry.ts";
import { makeMinibatches } from "#algorithms/batch.ts";
import { needsReference, refuseUnmetNeeds } from "#algorithms/needs.ts";
import { scoreGroups } from "#algorithms/rewards/registry.ts";
import type { Rng } from "#core/chance.ts";
import type { Credit, ScoredGroup } from "#core/credit.ts";
import type { Split, Task } from "#core/environment.ts";
import { PolicyError } from "#core/errors.ts";
import { fingerprint } from "#core/json.ts";
import type { TrainBatch } from "#core/objective.ts";
import { createRng } from "#core/rng.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { EvaluationReport, RunEvent, Subject } from "#run/run-event.ts";
import { playAll, type Arena, type JudgedRollout } from "./arena.ts";
import { evaluate, evaluateScripted } from "./evaluate.ts";
import { groupRecord, mostInformative } from "./group-record.ts";
import { updateMetrics, type StepMetrics } from "./metrics.ts";
import type { Gate, Resume } from "./runtime.ts";

export interface TrainDeps<T extends Task, S> {
  readonly arena: Arena<T, S>;
  /** Holds the starting weights. */
  readonly policy: EnginePolicy;
  /** Milliseconds; only ever written under `timing`. */
  readonly now: () => number;
  readonly gate: Gate;
  /** Where an earlier run of this configuration stood right after an `update` event: this one goes on from there. */
  readonly resume?: Resume;
}

/** Seed of the tasks and trials of evaluations: the same in every run, so that runs meet the same tasks. */
const EVALUATION_SEED = 0;

interface Rolled<T extends Task> {
  readonly tasks: readonly T[];
  readonly groups: readonly ScoredGroup[];
  readonly credits: readonly (readonly Credit[])[];
  readonly judged: readonly JudgedRollout[];
}

/** Fresh tasks, a group of trajectories each, judged, rewarded, credited. */
export async function rollOut<T extends Task, S>(config: RunConfig, { arena, policy, gate }: TrainDeps<T, S>, update: number, rng: Rng): Promise<Rolled<T>> {
  const { groupSize, groupsPerUpdate, credit } = config.algorithm;
  const tasks = arena.tasks("train", groupsPerUpdate, rng.fork("tasks"));
  const specs = tasks.flatMap((task, group) =>
    Array.from({ length: groupSize }, (_, member) => arena.spec(task, `${update}/${group}`, rng.fork(`group/${group}/member/${member}`), update - 1)),
  );
  const judged = await playAll(arena, specs, policy, { greedy: false, concurrency: specs.length, onRound: () => gate() });
  const membersOf = (group: number): readonly JudgedRollout[] => judged.slice(group * groupSize, (group + 1) * groupSize);
  const judgedGroups = tasks.map((_, group) => ({ groupId: `${update}/${group}`, members: membersOf(group) }));
  const rewards = await scoreGroups(judgedGroups, config.reward, rng.fork("reward"));
  const groups: readonly ScoredGroup[] = judgedGroups.map(({ groupId, members }, group) => ({
    groupId,
    members: members.map(({ trajectory, verdict }, member) => {
      const paid = rewards[group]?.[member];
      if (!paid) throw new PolicyError(`the reward source scored nothing for member ${member} of group ${groupId}`);
      return { trajectory, verdict, rewards: paid };
    }),
  }));
  return { tasks, groups, credits: assignCredit(groups, credit, rng.fork("credit")), judged };
}

/** The remedy is data as well: the page offers it from the last kept update on. */
function notFinite(what: string, value: number, { algorithm }: RunConfig): PolicyError {
  const slower = algorithm.learningRate / 4;
  return new PolicyError(`the ${what} is ${value}: try a learning rate of ${slower}`, { fault: "not-finite", setting: "algorithm.learningRate", value: slower });
}

/** One optimiser step. @throws PolicyError when the loss is not finite: nothing is learnt from it. */
async function step(config: RunConfig, policy: EnginePolicy, batch: TrainBatch, learningRate: number): Promise<StepMetrics> {
  const pass = await policy.forward(batch);
  try {
    const grads = evaluateObjective(config.algorithm, batch, pass.stats);
    if (!Number.isFinite(grads.loss)) throw notFinite("loss", grads.loss, config);
    await pass.backward(grads);
    const { gradNorm } = await policy.applyUpdate(learningRate);
    if (!Number.isFinite(gradNorm)) throw notFinite("gradient norm", gradNorm, config);
    return { loss: grads.loss, gradNorm, metrics: grads.metrics };
  } finally {
    pass.dispose();
  }
}

const learningRateAt = ({ algorithm: { learningRate, warmup } }: RunConfig, update: number): number =>
  learningRate * Math.min(1, update / Math.max(1, warmup));

/**
 * The whole run as events: updates, evaluations every `evaluation.every` of them, the ending. The same seed and arithmetic give the
 * same events but for `timing`; with `resume`, those that come after its `update` event.
 * @throws what the policy or the environment's boundary throws; the caller makes `run-failed` of it.
 */
export async function* train<T extends Task, S>(config: RunConfig, deps: TrainDeps<T, S>): AsyncGenerator<RunEvent, void> {
  const { arena, policy, now, gate, resume } = deps;
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

  refuseUnmetNeeds(config, new Set(["reference" as const, ...(config.policy.valueHead ? ["valueHead" as const] : [])]));
  const startWeights = await policy.snapshot();
  if (needsReference(config)) policy.setReference(startWeights);
  if (resume) policy.importState(resume.policy);
  else
    yield {
      type: "run-started", version: 1, config, arithmetic: policy.arithmetic, parameters: policy.layout.parameters,
      vocabulary: arena.harness.vocabulary.words.length, fingerprint: fingerprint(startWeights),
    };
  const whenDue = async function* (update: number): AsyncGenerator<RunEvent, void> {
    if (update === 0 || update % every !== 0 || update >= config.updates) return;
    yield { type: "checkpoint", update, fingerprint: fingerprint(await policy.snapshot()) };
    const event = await evaluationEvent(update, "current", () => measured("heldout", false));
    if (event) yield event;
  };

  const from = resume?.update ?? 0;
  let [trajectories, tokens] = [resume?.trajectories ?? 0, resume?.tokens ?? 0];
  yield* whenDue(from);
  for (let update = from + 1; update <= config.updates; update += 1) {
    const since = now();
    const stream = rng.fork(`update/${update}`);
    const { tasks: played, groups, credits, judged } = await rollOut(config, deps, update, stream);
    const rollout = seconds(since);
    const shown = mostInformative(groups);
    const [group, task] = [groups[shown], played[shown]];
    if (group && task) yield { type: "group", update, group: await groupRecord(arena, policy, task, group, credits[shown] ?? [], stream) };
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
    const { batches, dropped } = makeMinibatches(groups, credits, config.algorithm.minibatches);
    const learningRate = learningRateAt(config, update);
    const steps: StepMetrics[] = [];
    for (let epoch = 0; epoch < config.algorithm.epochs; epoch += 1)
      for (const batch of batches) {
        steps.push(await step(config, policy, batch, learningRate));
        await gate();
      }
    const metrics = updateMetrics(groups, judged, steps, dropped, learningRate);
    trajectories += metrics.trajectories;
    tokens += metrics.tokens;
    yield { type: "update", update, metrics, timing: { seconds: seconds(started), rollout, learn: seconds(learningSince) } };
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
