import { evaluateObjective, objectiveOnDevice } from "#algorithms/objectives/implementations.ts";
import { OBJECTIVES, type ObjectiveConfig } from "#algorithms/objectives/registry.ts";
import type { ClipRange } from "#algorithms/objectives/clipped-loss.ts";
import type { Rng } from "#core/chance.ts";
import type { TokenStats, TrainBatch } from "#core/objective.ts";
import { choose, drawIndex } from "#core/rng.ts";
import type { Executor } from "#engine/executor.ts";
import type { View } from "#engine/kernel.ts";
import { COEFFICIENT, COEFFICIENT_FIELDS, STATS, STATS_FIELDS } from "#engine/kernels/legal.ts";
import { LOSS_SUMS, LOSS_TOKEN, LOSS_TOKEN_FIELDS, lossValues, sumsOf, tokenLoss } from "#engine/kernels/token-loss/index.ts";

export type Algorithm = ClipRange & { readonly objective: ObjectiveConfig };
export type AllStats = Required<TokenStats>;

/** Every objective that has a form on the device. */
export const ON_DEVICE = (Object.keys(OBJECTIVES) as ObjectiveConfig["id"][]).filter((id) => id !== "gspo" && id !== "dpo");

export function randomAlgorithm(rng: Rng, id: ObjectiveConfig["id"]): Algorithm {
  const some = <T>(values: readonly T[]): T => choose(rng, values);
  const change = {
    aggregation: some(id === "sft" ? ["tokenMean", "sequenceMean"] : ["tokenMean", "sequenceMean", "constant"]), constant: 1 + drawIndex(rng, 40),
    dualClip: some([null, null, 1.2, 3]), selection: some(["raft", "reinforceRej", "bestOfN"]),
    entropyCoefficient: some([0, 0, 0.1, 1]), klCoefficient: some([0, 0.3, 2]), klEstimator: some(["exact", "k1", "k2", "k3"]), valueCoefficient: some([0, 0, 0.5]),
  };
  const fields = Object.keys(OBJECTIVES[id].defaults);
  const objective = { id, ...OBJECTIVES[id].defaults, ...Object.fromEntries(Object.entries(change).filter(([name]) => fields.includes(name))) } as ObjectiveConfig;
  return { objective, clipLow: some([0.05, 0.2, 0.9]), clipHigh: some([0.05, 0.28, 4]) };
}

/** exp of anything between these is nearer to an end of the clip range than 32 bits can tell apart. */
const isOnEdge = (logRatio: number, { clipLow, clipHigh }: ClipRange): boolean =>
  [1 - clipLow, 1 + clipHigh].some((edge) => Math.abs(Math.exp(logRatio) / edge - 1) < 1e-4);

/**
 * Rows of several trajectories, one of which failed and has none; nothing sampled in some rows, or at all; advantages that are 0; ratios of 1 to
 * the last bit, near 1, and beyond all bounds. NaN wherever nothing was sampled.
 */
export function randomCase(rng: Rng, clip: ClipRange): { readonly batch: TrainBatch; readonly stats: AllStats } {
  const [rows, length] = [drawIndex(rng, 7), 1 + drawIndex(rng, 40)];
  const size = rows * length;
  const share = choose(rng, [0, 0.2, 0.7, 1]);
  const far = choose(rng, [0, 0, 0.1]);
  const mask = Uint8Array.from({ length: size }, (_, at) => (at % length > 0 && Math.floor(at / length) % 3 !== 1 && rng.next() < share ? 1 : 0));
  const filled = (draw: () => number): Float32Array => Float32Array.from(mask, (bit) => (bit === 1 ? draw() : NaN));
  const within = (from: number, to: number): number => from + rng.next() * (to - from);
  const logprobs = filled(() => -3 * rng.next());
  const behaviorLogprobs = logprobs.map((logprob) => {
    for (;;) {
      const away = rng.next() < far ? within(-70, 70) : rng.next() < 0.2 ? 0 : within(-0.6, 0.6);
      if (!isOnEdge(logprob - Math.fround(logprob - away), clip)) return logprob - away;
    }
  });
  return {
    batch: {
      rows, length, mask, behaviorLogprobs, lengths: new Uint32Array(rows).fill(length), tokens: new Uint32Array(size), automatonStates: new Uint16Array(size),
      // Trajectory 1 failed.
      trajectoryOfRow: Uint32Array.from({ length: rows }, (_, row) => [0, 0, 2, 3, 4, 4, 5][row] ?? 0), groupReturns: [[1, null, 0.5], [0, 0, choose(rng, [0, 2])]],
      advantages: filled(() => (rng.next() < 0.2 ? 0 : within(-2, 2))), returns: filled(() => within(-1, 1)), pairs: [],
    },
    stats: {
      logprobs, entropies: filled(() => 2 * rng.next()), referenceLogprobs: logprobs.map((logprob) => logprob + within(-1, 1)),
      kl: filled(() => rng.next()), values: filled(() => within(-2, 2)),
    },
  };
}

/** What the kernel makes of a batch and its statistics, in the form of `TokenGrads` with a gradient of each kind; undefined without a form on the device. */
export async function throughKernel(executor: Executor, algorithm: Algorithm, batch: TrainBatch, stats: AllStats) {
  const form = objectiveOnDevice(algorithm, batch);
  if (form === undefined) return undefined;
  const picked = [...batch.mask.keys()].filter((at) => batch.mask[at] === 1);
  const rowsOf = (fields: number, values: Readonly<Record<number, Float32Array | undefined>>): Float32Array<ArrayBuffer> => {
    const view = new Float32Array(picked.length * fields);
    for (const [row, at] of picked.entries()) for (const [field, from] of Object.entries(values)) view[row * fields + Number(field)] = from?.[at] ?? 0;
    return view;
  };
  const { loss } = form;
  const own = rowsOf(STATS_FIELDS, { [STATS.LOGPROB]: stats.logprobs, [STATS.ENTROPY]: stats.entropies });
  const reference = rowsOf(STATS_FIELDS, { [STATS.LOGPROB]: stats.referenceLogprobs });
  const [kl, values] = [rowsOf(1, { 0: stats.kl }), rowsOf(4, { 0: stats.values })];
  const tokens = rowsOf(LOSS_TOKEN_FIELDS, {
    [LOSS_TOKEN.ADVANTAGE]: loss.advantages, [LOSS_TOKEN.BEHAVIOUR]: loss.behaviorLogprobs, [LOSS_TOKEN.WEIGHT]: loss.weights, [LOSS_TOKEN.RETURN]: loss.returns,
  });
  const sums = new Float32Array(LOSS_SUMS);
  const views: View[] = [own, reference, kl, values, tokens, new Float32Array(picked.length * COEFFICIENT_FIELDS), new Float32Array(picked.length * 4), sums];
  if (picked.length > 0) {
    const buffers = views.map((view, index) => {
      const buffer = executor.alloc(`case.${index}`, "f32", view.length);
      executor.upload(buffer, view);
      return buffer;
    });
    executor.run(tokenLoss, buffers, lossValues(loss, picked.length));
    for (const index of [5, 6, 7]) views[index]?.set(await executor.read(buffers[index] ?? never()));
    for (const buffer of buffers) executor.free(buffer);
  }
  const spread = (view: View | undefined, fields: number, field: number): Float32Array => {
    const result = new Float32Array(batch.rows * batch.length);
    for (const [row, at] of picked.entries()) result[at] = view?.[row * fields + field] ?? NaN;
    return result;
  };
  const total = sumsOf(sums);
  return {
    loss: total.loss, metrics: form.metrics(total), maxRatio: total.maxRatio,
    dLogprobs: spread(views[5], COEFFICIENT_FIELDS, COEFFICIENT.LOGPROB), dEntropies: spread(views[5], COEFFICIENT_FIELDS, COEFFICIENT.ENTROPY),
    dKl: spread(views[5], COEFFICIENT_FIELDS, COEFFICIENT.KL), dValues: spread(views[6], 4, 0), klValues: spread(views[5], COEFFICIENT_FIELDS, COEFFICIENT.KL_VALUE),
  };
}

function never(): never {
  throw new Error("no such buffer");
}

/** Where kernel and definition are further apart than 32 bits explain, in words; empty where they agree. @param allowed relative */
export async function differences(executor: Executor, algorithm: Algorithm, { batch, stats }: { readonly batch: TrainBatch; readonly stats: AllStats }, allowed: number): Promise<readonly string[]> {
  const got = await throughKernel(executor, algorithm, batch, stats);
  if (got === undefined) return ["no form on the device"];
  const wanted = evaluateObjective(algorithm, batch, stats);
  const found: string[] = [];
  const compare = (name: string, seen: number, should: number, scale = 0): void => {
    if (!(Math.abs(seen - should) <= allowed * (1 + Math.abs(should) + scale))) found.push(`${name}: ${seen} instead of ${should}`);
  };
  // Terms of any size may nearly cancel.
  const scale = got.maxRatio < 100 ? 0 : got.maxRatio;
  compare("loss", got.loss, wanted.loss, scale);
  if (Object.keys(got.metrics).toSorted().join() !== Object.keys(wanted.metrics).toSorted().join()) found.push(`metrics are ${Object.keys(got.metrics).join()}`);
  for (const [name, value] of Object.entries(wanted.metrics)) compare(name, got.metrics[name] ?? NaN, value);
  for (const name of ["dLogprobs", "dEntropies", "dKl", "dValues"] as const)
    for (const [at, slope] of got[name].entries()) compare(`${name}[${at}]`, slope, wanted[name]?.[at] ?? 0);
  // The gradient of an exact KL needs its value beside its coefficient.
  for (const [at, slope] of (wanted.dKl ?? []).entries()) if (slope !== 0) compare(`kl[${at}]`, got.klValues[at] ?? NaN, stats.kl[at] ?? NaN);
  return found;
}
