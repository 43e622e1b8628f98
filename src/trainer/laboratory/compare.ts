import type { Credit, Scored } from "#core/credit.ts";
import type { Task } from "#core/environment.ts";
import { mulberry32 } from "#core/mulberry32.ts";
import { createRng } from "#core/rng.ts";
import { mean } from "#core/statistics.ts";
import type { Executor } from "#engine/executor.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";
import { setPath, type RunConfig } from "#run/run-config.ts";
import type { CreditId } from "#run/assessment.ts";
import type { Arena } from "../arena.ts";
import { turnCredits } from "../board-rows.ts";
import { modelOf } from "../open-policy.ts";
import type { Gate } from "../runtime.ts";
import type { TruthForm } from "../truth.ts";
import { groupOf, type SampledBatch } from "./batches.ts";
import { creditGradients, dot } from "./gradient.ts";
import { groupTruth, type MeasuredTruth } from "./measure.ts";
import { judgedTurns } from "./meters.ts";
import { PracticedNetworks, wantsNetworks, type Practice } from "./networks.ts";
import { freshGroups, groupsOf, practiceFor, rolloutsOf } from "./practice.ts";
import { creditOf, schemeRow } from "./schemes.ts";
import { scoresOf, type GradientProducts, type GroupUnderScheme, type SchemeScores } from "./scores.ts";

/** Groups whose gradients make one batch. */
const BATCH = 32;

export interface CompareRequest<T extends Task, S> {
  readonly config: RunConfig;
  readonly arena: Arena<T, S>;
  readonly executor: Executor;
  /** What samples; its gradients are used, never its optimiser. */
  readonly policy: EnginePolicy;
  readonly groups: number;
  readonly seed: number;
  readonly schemes: readonly CreditId[];
  /** How exact the truth is to be, and most groups that networks are fitted to. */
  readonly form: TruthForm;
  readonly practice: number;
  readonly gate: Gate;
  progress(line: string): void;
}

export interface Comparison {
  readonly schemes: readonly ({ readonly id: CreditId; readonly fitted: string | null } & SchemeScores)[];
  readonly truth: {
    /** Measured, and of those, with mixed outcome: correlation and shares are over the turns of these. */
    readonly groups: number;
    readonly mixedGroups: number;
    readonly turns: number;
    readonly exactShare: number;
    readonly meanHalfWidth: number;
  };
}

/** A batch with the truth about each of its groups, and the gradients under skill. */
interface Measured<T, S> {
  readonly batch: SampledBatch<T, S>;
  readonly truths: readonly MeasuredTruth[];
  readonly skillGradients: readonly (Float32Array | null)[];
}

const skillOf = ({ turns }: MeasuredTruth, members: readonly Scored[]): readonly Credit[] =>
  members.map(({ trajectory }, index) => ({ perTurn: turns[index]?.skill ?? new Float32Array(trajectory.turns.length) }));

function productsOf(gradients: readonly (Float32Array | null)[], skill: readonly (Float32Array | null)[], skillProducts: Float64Array | null): GradientProducts {
  const groups = gradients.length;
  const table = (a: readonly (Float32Array | null)[], b: readonly (Float32Array | null)[]): Float64Array => {
    const products = new Float64Array(groups * groups);
    for (const [i, one] of a.entries()) for (const [j, other] of b.entries()) if (one && other) products[i * groups + j] = dot(one, other);
    return products;
  };
  return { groups, scheme: table(gradients, gradients), cross: table(gradients, skill), skill: skillProducts ?? table(skill, skill) };
}

/** Samples groups of training tasks, measures the truth about them, and holds every scheme against it. */
export async function compareSchemes<T extends Task, S>(request: CompareRequest<T, S>): Promise<Comparison> {
  const { config, arena, executor, policy, seed, gate, progress } = request;
  const rng = createRng(seed).fork("compare");
  const measured: Measured<T, S>[] = [];
  for (let first = 0; first < request.groups; first += BATCH) {
    const batch = await freshGroups({ config, arena, policy, rng: rng.fork(`batch/${first / BATCH}`), gate }, Math.min(BATCH, request.groups - first));
    const truths: MeasuredTruth[] = [];
    const skillGradients: (Float32Array | null)[] = [];
    for (const [index, sampled] of groupsOf(batch).entries()) {
      const truth = await groupTruth(arena, policy, sampled, { given: "history", form: "full", settings: request.form, rng: rng.fork(`truth/${first + index}`), gate });
      truths.push(truth);
      skillGradients.push((await creditGradients(policy, sampled.group, [skillOf(truth, sampled.group.members)]))[0] ?? null);
    }
    measured.push({ batch, truths, skillGradients });
    progress(`truth of ${Math.min(first + BATCH, request.groups)} of ${request.groups} groups`);
  }
  let practised: Promise<Practice> | null = null;
  const networks = new PracticedNetworks({ executor, harness: arena.harness, model: modelOf(config, arena.harness.vocabulary.words.length) });
  const skillProducts = measured.map(({ skillGradients }) => productsOf(skillGradients, skillGradients, null).scheme);
  const schemes = [];
  for (const id of request.schemes) {
    schemes.push(await schemeScores(id));
    progress(id);
  }
  networks.dispose();
  const labels = measured.flatMap(({ truths }) => truths.flatMap(({ truth }) => truth.members.flatMap((member) => member?.turns ?? [])));
  return {
    schemes,
    truth: {
      groups: measured.reduce((sum, { truths }) => sum + truths.length, 0),
      mixedGroups: measured.reduce((sum, { batch }) => sum + batch.groups.filter(isMixed).length, 0),
      turns: labels.length,
      exactShare: labels.filter(({ kind }) => kind === "exact").length / labels.length,
      meanHalfWidth: mean(labels.map(({ halfWidth }) => halfWidth)),
    },
  };

  async function schemeScores(id: CreditId): Promise<Comparison["schemes"][number]> {
    const { credit: own } = config.algorithm;
    const credit = own.id === id ? own : setPath(config, "algorithm.credit", id).algorithm.credit;
    const groups: GroupUnderScheme[] = [];
    const products: GradientProducts[] = [];
    let fitted: string | null = null;
    for (const [number, { batch, truths, skillGradients }] of measured.entries()) {
      const sampled = groupsOf(batch);
      const readers = wantsNetworks(credit, batch.groups) ? await networks.readers(credit, await practice(), gate) : null;
      const credited = await creditOf(credit, rolloutsOf(sampled), {
        arena, policy, config, truth: truths.map(({ turns }) => turns), truthCost: { steps: 0, tokens: 0 }, readers, rng: rng.fork(`scheme/${id}/${number}`), gate,
      });
      ({ fitted } = credited);
      const gradients: (Float32Array | null)[] = [];
      for (const [index, { group, judged }] of sampled.entries()) {
        const [truth, credits] = [truths[index], credited.credits[index] ?? []];
        if (!truth) continue;
        const isQuestion = (member: number, turn: number): boolean => {
          const action = judged[member]?.trajectory.turns[turn]?.action;
          return action !== undefined && arena.isQuestion(action);
        };
        const cost = id === "truth" || id === "dial" ? truth.cost : schemeRow(credit, credited, index).cost;
        groups.push({
          turns: judgedTurns(truth.truth, group.members.map((member, at) => turnCredits(member, credits[at] ?? { perTurn: new Float32Array() })), isQuestion),
          isMixed: isMixed(group), extraTokens: cost.tokens, extraSteps: cost.steps, trajectories: group.members.length,
        });
        gradients.push((await creditGradients(policy, group, [credits]))[0] ?? null);
      }
      if (measured.length === 1 || gradients.length === BATCH) products.push(productsOf(gradients, skillGradients, skillProducts[number] ?? null));
    }
    return { id, fitted, ...scoresOf(groups, products, mulberry32(1)) };
  }

  /** The same trajectories for every scheme, on tasks of their own. */
  function practice(): Promise<Practice> {
    practised ??= (async () => {
      const alone = measured[0]?.batch;
      const sampled = alone && groupOf({ ...alone, groups: alone.groups.slice(0, 1) }, 0);
      if (!sampled) throw new RangeError("there is no group");
      return (await practiceFor({ config, arena, policy, sampled, others: [], most: request.practice, rng: rng.fork("practice"), gate })).practice;
    })();
    return practised;
  }
}

const isMixed = ({ members }: { readonly members: readonly Scored[] }): boolean => {
  const ended = members.filter(({ trajectory }) => trajectory.ending !== "failed");
  return ended.some(({ verdict }) => verdict.success) && ended.some(({ verdict }) => !verdict.success);
};
