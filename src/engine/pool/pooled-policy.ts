import type { TokenGrads, TrainBatch } from "#core/objective.ts";
import type { Completion, ForwardPass, SampleRequest } from "#core/policy.ts";
import type { EnginePolicy } from "../policy-backend.ts";
import type { ComputeUnit } from "./compute-unit.ts";
import { batchShare, gradsShare, joinStats, packRequests, shareOf, unpackCompletions, type PackedRequests } from "./shares.ts";

/** Fewer requests than this are not worth a trip. */
const WORTH_SHARING = 16;

/**
 * A policy whose sampling and gradients are shared with other threads, one `ComputeUnit` each, opened with the same weights. Every
 * number is bit-equal to the local policy's own: rows do not depend on their batch, and gradients are summed in shards that do not
 * depend on the number of threads. At most SHARDS − 1 units are of use.
 */
export function createPooledPolicy(local: EnginePolicy, units: readonly ComputeUnit[]): EnginePolicy {
  if (units.length === 0) return local;
  const threads = units.length + 1;
  /** Work of units that nobody has waited for yet: a failure is told with the next call. */
  let pending: Promise<unknown> = Promise.resolve();
  const later = (work: readonly Promise<unknown>[]): void => {
    const all = Promise.all([pending, ...work]);
    all.catch(() => undefined);
    pending = all;
  };
  const settled = async (): Promise<void> => {
    const now = pending;
    pending = Promise.resolve();
    await now;
  };
  const broadcast = (weights: Float32Array): void => later(units.map((unit) => unit.load(weights)));
  const gather = async (): Promise<void> => {
    await settled();
    const taken = await Promise.all(units.map((unit, index) => {
      const { fromShard, toShard } = shareOf(index + 1, threads, 0);
      return unit.takeShards(fromShard, toShard);
    }));
    for (const [index, sums] of taken.entries()) await local.addShards(shareOf(index + 1, threads, 0).fromShard, sums);
  };

  /** Requests go to the thread that their place in the cache belongs to; answers come back in the order of the requests. */
  async function shared<A>(
    requests: readonly SampleRequest[], draws: number,
    here: (requests: readonly SampleRequest[]) => Promise<A>, there: (unit: ComputeUnit, requests: PackedRequests) => Promise<A>,
  ): Promise<readonly { readonly indices: readonly number[]; readonly answer: A }[]> {
    await settled();
    const parts = Array.from({ length: threads }, (_, thread) => [...requests.keys()].filter((index) => (requests[index] as SampleRequest).slot % threads === thread));
    const chosen = (indices: readonly number[]): SampleRequest[] => indices.map((index) => requests[index] as SampleRequest);
    const slotOf = (slot: number): number => Math.floor(slot / threads);
    const away = units.map((unit, index) => {
      const indices = parts[index + 1] ?? [];
      return { indices, work: indices.length > 0 ? there(unit, packRequests(chosen(indices), draws, slotOf)) : undefined };
    });
    for (const { work } of away) work?.catch(() => undefined);
    const own = parts[0] ?? [];
    const result: { readonly indices: readonly number[]; readonly answer: A }[] = [];
    if (own.length > 0) result.push({ indices: own, answer: await here(chosen(own).map((request) => ({ ...request, slot: slotOf(request.slot) }))) });
    for (const { indices, work } of away) if (work !== undefined) result.push({ indices, answer: await work });
    return result;
  }

  return {
    ...local,
    arithmetic: local.arithmetic,
    layout: local.layout,
    async sample(requests, options) {
      if (requests.length < WORTH_SHARING) return local.sample(requests, options);
      const parts = await shared(requests, options.maxTokens, (own) => local.sample(own, options), async (unit, packed) => unpackCompletions(await unit.sample(packed, options)));
      const all: Completion[] = [];
      for (const { indices, answer } of parts) for (const [at, index] of indices.entries()) all[index] = answer[at] as Completion;
      return all;
    },
    async nextLogprobs(requests) {
      if (requests.length < WORTH_SHARING) return local.nextLogprobs(requests);
      const { vocabulary } = local.layout.config;
      const all = new Float32Array(requests.length * vocabulary);
      for (const { indices, answer } of await shared(requests, 0, (own) => local.nextLogprobs(own), (unit, packed) => unit.nextLogprobs(packed)))
        for (const [at, index] of indices.entries()) all.set(answer.subarray(at * vocabulary, (at + 1) * vocabulary), index * vocabulary);
      return all;
    },
    async forward(batch: TrainBatch): Promise<ForwardPass> {
      await settled();
      const shares = Array.from({ length: threads }, (_, thread) => shareOf(thread, threads, batch.rows));
      const [own, ...others] = shares;
      if (own === undefined) return local.forward(batch);
      const away = others.map((share, index) => ({ unit: units[index] as ComputeUnit, share })).filter(({ share }) => share.end > share.first);
      const work = away.map(({ unit, share }) => unit.forward(batchShare(batch, share), share));
      for (const each of work) each.catch(() => undefined);
      const pass = await local.forward(batchShare(batch, own), own);
      try {
        const stats = joinStats([pass.stats, ...(await Promise.all(work))]);
        return {
          stats,
          async backward(grads: TokenGrads) {
            later(away.map(({ unit, share }) => unit.backward(gradsShare(grads, batch.length, share))));
            await pass.backward(gradsShare(grads, batch.length, own));
          },
          dispose: () => pass.dispose(),
        };
      } catch (error) {
        pass.dispose();
        throw error;
      }
    },
    async applyUpdate(learningRate) {
      await gather();
      const result = await local.applyUpdate(learningRate);
      broadcast(await local.snapshot());
      return result;
    },
    async gradient() {
      await gather();
      return local.gradient();
    },
    load(weights) {
      local.load(weights);
      broadcast(weights);
    },
    setReference(weights) {
      local.setReference(weights);
      later(units.map((unit) => unit.setReference(weights)));
    },
    importState(state) {
      local.importState(state);
      broadcast(state.weights);
    },
    dispose() {
      later(units.map((unit) => unit.close()));
      local.dispose();
    },
  };
}
