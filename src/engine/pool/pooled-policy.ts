import type { TokenGrads, TrainBatch } from "#core/objective.ts";
import type { Completion, ForwardPass, SampleRequest } from "#core/policy.ts";
import { SHARDS } from "../kernels/rows.ts";
import type { EnginePolicy } from "../policy-backend.ts";
import type { ComputeUnit } from "./compute-unit.ts";
import { batchShare, gradsShare, joinStats, packRequests, shareOf, unpackCompletions, unpackRequests, type PackedRequests } from "./shares.ts";

/** Fewer requests than this are not worth a trip. */
const WORTH_SHARING = 16;

/**
 * A policy whose sampling and gradients are shared with other threads, one `ComputeUnit` each, opened with the same weights. Every
 * number is bit-equal to the local policy's own: rows do not depend on their batch, and gradients are summed in shards that do not
 * depend on the number of threads. A unit that fails costs time, never a number: what it owed is computed here, and the policy goes on
 * alone. At most SHARDS − 1 units are of use.
 */
export function createPooledPolicy(local: EnginePolicy, units: readonly ComputeUnit[]): EnginePolicy {
  if (units.length === 0) return local;
  let team = units;
  /** What was learnt from since the last step, to be done again if a unit takes its part with it. */
  let learnt: readonly { readonly batch: TrainBatch; readonly grads: TokenGrads }[] = [];
  /** The pass that is open here. */
  let open: ForwardPass | undefined;
  /** Work of units that nobody has waited for yet: a failure shows with the next call. */
  let pending: Promise<unknown> = Promise.resolve();
  const later = (work: readonly Promise<unknown>[]): void => {
    const all = Promise.all([pending, ...work]);
    all.catch(() => undefined);
    pending = all;
  };
  const goAlone = async (): Promise<void> => {
    if (team.length === 0) return;
    team = [];
    open?.dispose();
    local.takeShards(0, SHARDS);
    for (const { batch, grads } of learnt) {
      const pass = await local.forward(batch);
      await pass.backward(grads);
      pass.dispose();
    }
  };
  const settled = async (): Promise<void> => {
    const now = pending;
    pending = Promise.resolve();
    try {
      await now;
    } catch {
      await goAlone();
    }
  };
  const broadcast = (weights: Float32Array): void => later(team.map((unit) => unit.load(weights)));
  const gather = async (): Promise<void> => {
    await settled();
    const shares = team.map((unit, index) => ({ unit, ...shareOf(index + 1, team.length + 1, 0) }));
    try {
      const taken = await Promise.all(shares.map(({ unit, fromShard, toShard }) => unit.takeShards(fromShard, toShard)));
      for (const [index, sums] of taken.entries()) local.addShards(shares[index]?.fromShard ?? 0, sums);
    } catch {
      await goAlone();
    }
  };
  /** Gradients gathered so far are nowhere any more. */
  const forgetGradients = (): void => {
    learnt = [];
    later(team.map((unit) => unit.takeShards(0, SHARDS)));
  };

  /** Requests go to the thread that their place in the cache belongs to; answers come back in the order of the requests. */
  async function shared<A>(
    requests: readonly SampleRequest[], draws: number,
    here: (requests: readonly SampleRequest[]) => Promise<A>, there: (unit: ComputeUnit, requests: PackedRequests) => Promise<A>,
  ): Promise<readonly { readonly indices: readonly number[]; readonly answer: A }[]> {
    const threads = team.length + 1;
    const parts = Array.from({ length: threads }, (_, thread) => [...requests.keys()].filter((index) => (requests[index] as SampleRequest).slot % threads === thread));
    const chosen = (indices: readonly number[]): SampleRequest[] => indices.map((index) => requests[index] as SampleRequest);
    const slotOf = (slot: number): number => Math.floor(slot / threads);
    const away = team.flatMap((unit, index) => {
      const indices = parts[index + 1] ?? [];
      if (indices.length === 0) return [];
      const packed = packRequests(chosen(indices), draws, slotOf);
      return [{ indices, packed, work: there(unit, packed) }];
    });
    for (const { work } of away) work.catch(() => undefined);
    const own = parts[0] ?? [];
    const result: { readonly indices: readonly number[]; readonly answer: A }[] = [];
    if (own.length > 0) result.push({ indices: own, answer: await here(chosen(own).map((request) => ({ ...request, slot: slotOf(request.slot) }))) });
    for (const { indices, packed, work } of away) {
      let answer: A;
      try {
        answer = await work;
      } catch {
        await goAlone();
        // The draws were made when the requests were packed: these are the same.
        answer = await here(unpackRequests(packed));
      }
      result.push({ indices, answer });
    }
    return result;
  }

  return {
    ...local,
    // A step is a matter of all threads.
    queueDepth: 0,
    learn: undefined,
    async sample(requests, options) {
      await settled();
      if (team.length === 0 || requests.length < WORTH_SHARING) return local.sample(requests, options);
      const parts = await shared(requests, options.maxTokens, (own) => local.sample(own, options), async (unit, packed) => unpackCompletions(await unit.sample(packed, options)));
      const all: Completion[] = [];
      for (const { indices, answer } of parts) for (const [at, index] of indices.entries()) all[index] = answer[at] as Completion;
      return all;
    },
    async nextLogprobs(requests) {
      await settled();
      if (team.length === 0 || requests.length < WORTH_SHARING) return local.nextLogprobs(requests);
      const { vocabulary } = local.layout.config;
      const all = new Float32Array(requests.length * vocabulary);
      for (const { indices, answer } of await shared(requests, 0, (own) => local.nextLogprobs(own), (unit, packed) => unit.nextLogprobs(packed)))
        for (const [at, index] of indices.entries()) all.set(answer.subarray(at * vocabulary, (at + 1) * vocabulary), index * vocabulary);
      return all;
    },
    async forward(batch: TrainBatch): Promise<ForwardPass> {
      if (team.length === 0) return local.forward(batch);
      // Calls are done in order: nobody waits for the weights to arrive, but what became of that is looked at with the answers.
      const before = pending;
      pending = Promise.resolve();
      const own = shareOf(0, team.length + 1, batch.rows);
      const away = team.map((unit, index) => ({ unit, share: shareOf(index + 1, team.length + 1, batch.rows) })).filter(({ share }) => share.end > share.first);
      const work = Promise.all([Promise.all(away.map(({ unit, share }) => unit.forward(batchShare(batch, share), share))), before]);
      work.catch(() => undefined);
      const pass = await local.forward(batchShare(batch, own), own);
      open = pass;
      try {
        const [theirs] = await work;
        return {
          stats: joinStats([pass.stats, ...theirs]),
          async backward(grads: TokenGrads) {
            learnt = [...learnt, { batch, grads }];
            later(away.map(({ unit, share }) => unit.backward(gradsShare(grads, batch.length, share))));
            await pass.backward(gradsShare(grads, batch.length, own));
          },
          dispose() {
            if (open === pass) open = undefined;
            pass.dispose();
          },
        };
      } catch {
        await goAlone();
        return local.forward(batch);
      }
    },
    async applyUpdate(learningRate) {
      await gather();
      const result = await local.applyUpdate(learningRate);
      learnt = [];
      if (team.length > 0) broadcast(await local.snapshot());
      return result;
    },
    async gradient() {
      await gather();
      return local.gradient();
    },
    resetOptimizer() {
      local.resetOptimizer();
      forgetGradients();
    },
    load(weights) {
      local.load(weights);
      broadcast(weights);
    },
    setReference(weights) {
      local.setReference(weights);
      later(team.map((unit) => unit.setReference(weights)));
    },
    importState(state) {
      local.importState(state);
      forgetGradients();
      broadcast(state.weights);
    },
    dispose() {
      later(team.map((unit) => unit.close()));
      local.dispose();
    },
  };
}
