import type { Completion, SampleRequest } from "#core/policy.ts";
import type { TokenGrads, TokenStats, TrainBatch } from "#core/objective.ts";
import { SHARDS } from "../kernels/rows.ts";
import type { BatchShare } from "../packing.ts";

/** Contexts and the draws they will need, packed: what crosses to another thread of a list of requests. */
export interface PackedRequests {
  readonly tokens: Uint32Array<ArrayBuffer>;
  /** [requests] each */
  readonly lengths: Uint32Array<ArrayBuffer>;
  readonly states: Uint32Array<ArrayBuffer>;
  readonly slots: Uint32Array<ArrayBuffer>;
  /** [requests × draws] uniform in [0, 1) */
  readonly draws: Float64Array<ArrayBuffer>;
}

/** Completions, packed alike. */
export interface PackedCompletions {
  readonly lengths: Uint32Array<ArrayBuffer>;
  readonly tokens: Uint32Array<ArrayBuffer>;
  readonly logprobs: Float32Array<ArrayBuffer>;
  readonly states: Uint16Array<ArrayBuffer>;
  /** [completions] 1 where the action ended by itself */
  readonly ended: Uint8Array<ArrayBuffer>;
}

/** Where each item starts, given how long they are. */
function starts(lengths: Uint32Array): Uint32Array {
  const result = new Uint32Array(lengths.length);
  for (let index = 1; index < lengths.length; index += 1) result[index] = (result[index - 1] ?? 0) + (lengths[index - 1] ?? 0);
  return result;
}

/** @param slotOf places of a cache are counted by each thread for itself */
export function packRequests(requests: readonly SampleRequest[], draws: number, slotOf: (slot: number) => number): PackedRequests {
  const total = requests.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const packed = {
    tokens: new Uint32Array(total), lengths: new Uint32Array(requests.length), states: new Uint32Array(requests.length), slots: new Uint32Array(requests.length),
    draws: new Float64Array(requests.length * draws),
  };
  let at = 0;
  for (const [index, { tokens, automatonState, slot, rng }] of requests.entries()) {
    packed.tokens.set(tokens, at);
    at += tokens.length;
    packed.lengths[index] = tokens.length;
    packed.states[index] = automatonState;
    packed.slots[index] = slotOf(slot);
    for (let draw = 0; draw < draws; draw += 1) packed.draws[index * draws + draw] = rng.next();
  }
  return packed;
}

export function unpackRequests({ tokens, lengths, states, slots, draws }: PackedRequests): SampleRequest[] {
  const from = starts(lengths);
  const each = lengths.length === 0 ? 0 : draws.length / lengths.length;
  return Array.from(lengths, (length, index): SampleRequest => {
    let drawn = index * each;
    const rng = {
      next: () => draws[drawn++] ?? 0,
      fork: () => rng,
    };
    return { tokens: tokens.slice(from[index], (from[index] ?? 0) + length), automatonState: states[index] ?? 0, slot: slots[index] ?? 0, rng };
  });
}

export function packCompletions(completions: readonly Completion[]): PackedCompletions {
  const total = completions.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const packed = {
    lengths: Uint32Array.from(completions, ({ tokens }) => tokens.length), tokens: new Uint32Array(total), logprobs: new Float32Array(total), states: new Uint16Array(total),
    ended: Uint8Array.from(completions, ({ stop }) => (stop === "end-of-action" ? 1 : 0)),
  };
  let at = 0;
  for (const { tokens, logprobs, automatonStates } of completions) {
    packed.tokens.set(tokens, at);
    packed.logprobs.set(logprobs, at);
    packed.states.set(automatonStates, at);
    at += tokens.length;
  }
  return packed;
}

export function unpackCompletions({ lengths, tokens, logprobs, states, ended }: PackedCompletions): Completion[] {
  const from = starts(lengths);
  return Array.from(lengths, (length, index): Completion => {
    const [start, end] = [from[index] ?? 0, (from[index] ?? 0) + length];
    return { tokens: tokens.slice(start, end), logprobs: logprobs.slice(start, end), automatonStates: states.slice(start, end), stop: ended[index] === 1 ? "end-of-action" : "length" };
  });
}

/** Which shards of the gradient, and which sequences, each of some threads takes; the same sums whatever their number. */
export interface ThreadShare extends BatchShare {
  readonly fromShard: number;
  readonly toShard: number;
  /** Sequences `first` to `end`. */
  readonly end: number;
}

export function shareOf(thread: number, threads: number, total: number): ThreadShare {
  const [fromShard, toShard] = [Math.floor((thread * SHARDS) / threads), Math.floor(((thread + 1) * SHARDS) / threads)];
  // Sequence s belongs to shard ⌊s·SHARDS/total⌋.
  return { fromShard, toShard, first: Math.ceil((fromShard * total) / SHARDS), end: Math.ceil((toShard * total) / SHARDS), total };
}

/** The part of a batch that a thread computes on. */
export function batchShare(batch: TrainBatch, { first, end }: ThreadShare): TrainBatch {
  const { length } = batch;
  const [from, to] = [first * length, end * length];
  return {
    rows: end - first, length, pairs: [],
    lengths: batch.lengths.slice(first, end), trajectoryOfRow: batch.trajectoryOfRow.slice(first, end),
    tokens: batch.tokens.slice(from, to), mask: batch.mask.slice(from, to), automatonStates: batch.automatonStates.slice(from, to),
    advantages: new Float32Array(0), behaviorLogprobs: new Float32Array(0),
  };
}

const GRADS = ["dLogprobs", "dEntropies", "dKl", "dValues"] as const;
const STATS = ["logprobs", "entropies", "referenceLogprobs", "kl", "values"] as const;

export function gradsShare(grads: TokenGrads, length: number, { first, end }: ThreadShare): TokenGrads {
  const parts = GRADS.flatMap((name) => {
    const values = grads[name];
    return values === undefined ? [] : [[name, values.slice(first * length, end * length)] as const];
  });
  return { loss: grads.loss, metrics: {}, dLogprobs: new Float32Array(0), ...Object.fromEntries(parts) };
}

/** Statistics of all threads, in the order of their shares. */
export function joinStats(parts: readonly TokenStats[]): TokenStats {
  const joined = STATS.flatMap((name) => {
    const values = parts.flatMap((part) => part[name] ?? []);
    if (values.length < parts.length || values.length === 0) return [];
    const all = new Float32Array(values.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const value of values) {
      all.set(value, at);
      at += value.length;
    }
    return [[name, all] as const];
  });
  return { logprobs: new Float32Array(0), entropies: new Float32Array(0), ...Object.fromEntries(joined) };
}
