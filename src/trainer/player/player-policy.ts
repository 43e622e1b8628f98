import { PolicyError } from "#core/errors.ts";
import { legalLogNormaliser } from "#core/distribution.ts";
import type { Completion, PolicyBackend, SampleOptions, SampleRequest } from "#core/policy.ts";
import { ACCEPT, ILLEGAL, type TokenAutomaton } from "#core/tokens.ts";
import { ACTION, ACTION_FIELDS, sampleToken } from "#engine/kernels/sample-token/index.ts";
import { ROW, ROW_FIELDS } from "#engine/kernels/rows.ts";
import { automatonTable } from "#engine/sampler.ts";
import type { PlayerQueue } from "./queue.ts";

/** What the player needs to know of a model; of `PolicyModel`. */
export interface PlayerShape {
  readonly columns: number;
  readonly rowsAtOnce: number;
}

/** A policy that acts and cannot learn. */
export type PlayingPolicy = Pick<PolicyBackend, "sample" | "nextLogprobs">;

/** Logits at the end of each context, [contexts, columns]; equal contexts are computed once. */
async function logitsAfter(queue: Pick<PlayerQueue, "run">, { columns, rowsAtOnce }: PlayerShape, context: number, contexts: readonly Uint32Array[]): Promise<Float32Array<ArrayBuffer>> {
  const places = new Map<string, number>();
  const distinct: Uint32Array[] = [];
  const keys = contexts.map((tokens) => {
    const key = tokens.join(" ");
    if (!places.has(key)) {
      places.set(key, distinct.length);
      distinct.push(tokens);
    }
    return key;
  });
  const computed = new Float32Array(distinct.length * columns);
  // By length, so that few numbers are computed for nothing: shorter ones are filled up behind their end, which a causal model does not see there.
  const order = distinct.map((tokens, index) => ({ tokens, index })).toSorted((a, b) => a.tokens.length - b.tokens.length);
  const most = rowsAtOnce * context;
  for (let start = 0; start < order.length;) {
    let count = 1;
    while (start + count < order.length && (count + 1) * (order[start + count]?.tokens.length ?? 0) <= most) count += 1;
    const rows = order.slice(start, start + count);
    const time = rows.at(-1)?.tokens.length ?? 0;
    const tokens = new BigInt64Array(count * time);
    for (const [row, each] of rows.entries()) for (const [at, token] of each.tokens.entries()) tokens[row * time + at] = BigInt(token);
    const logits = await queue.run(tokens, count, time, Uint32Array.from(rows, (each, row) => row * time + each.tokens.length - 1));
    if (logits.length !== count * columns) throw new PolicyError(`the model gave ${logits.length} logits, ${count * columns} were expected`);
    for (const [row, { index }] of rows.entries()) computed.set(logits.subarray(row * columns, (row + 1) * columns), index * columns);
    start += count;
  }
  const result = new Float32Array(contexts.length * columns);
  for (const [row, key] of keys.entries()) {
    const from = (places.get(key) ?? 0) * columns;
    result.set(computed.subarray(from, from + columns), row * columns);
  }
  return result;
}

/**
 * A model of onnxruntime-web as a policy: whole actions, token by token, each drawn by the engine's own sampling kernel (its definition)
 * from the same draws in the same order. So the native engine with the same weights takes the same tokens, but where a draw lies on the
 * boundary between two of them.
 */
export function createPlayerPolicy(queue: Pick<PlayerQueue, "run">, shape: PlayerShape, automaton: TokenAutomaton, context: number): PlayingPolicy {
  const { vocabularySize: vocabulary } = automaton;
  const { columns: stride } = shape;
  const table = automatonTable(automaton);
  const checked = (logits: Float32Array, state: number, row: number): void => {
    for (let token = 0; token < vocabulary; token += 1)
      if (automaton.next[state * vocabulary + token] !== ILLEGAL && !Number.isFinite(logits[row * stride + token])) throw new PolicyError(`the model's logit of token ${token} is ${logits[row * stride + token]}, allowed are finite numbers`);
  };
  return {
    async sample(requests: readonly SampleRequest[], { greedy, maxTokens: limit }: SampleOptions): Promise<readonly Completion[]> {
      if (requests.length === 0) return [];
      for (const { tokens } of requests)
        if (tokens.length === 0 || tokens.length + limit > context) throw new PolicyError(`context of ${tokens.length} tokens leaves no room for an action of ${limit} (context length ${context})`);
      const uniforms = new Float32Array(requests.length * limit);
      for (const [index, { rng }] of requests.entries()) for (let draw = 0; draw < limit; draw += 1) uniforms[index * limit + draw] = rng.next();
      const actions = new Float32Array(requests.length * limit * ACTION_FIELDS);
      const counts = new Uint32Array(requests.length);
      let active = requests.map(({ automatonState }, index) => ({ index, state: automatonState }));
      while (active.length > 0) {
        const contexts = active.map(({ index }) => {
          const { tokens = new Uint32Array() } = requests[index] ?? {};
          const count = counts[index] ?? 0;
          const all = new Uint32Array(tokens.length + count);
          all.set(tokens);
          for (let at = 0; at < count; at += 1) all[tokens.length + at] = actions[(index * limit + at) * ACTION_FIELDS + ACTION.TOKEN] ?? 0;
          return all;
        });
        const logits = await logitsAfter(queue, shape, context, contexts);
        const rows = new Uint32Array(active.length * ROW_FIELDS);
        for (const [row, { index, state }] of active.entries()) {
          checked(logits, state, row);
          rows[row * ROW_FIELDS + ROW.END] = index;
          rows[row * ROW_FIELDS + ROW.STATE] = state;
          rows[row * ROW_FIELDS + ROW.COUNT] = counts[index] ?? 0;
        }
        sampleToken.reference([logits, uniforms, table, rows, actions], { rows: active.length, vocabulary, stride, limit, greedy: greedy ? 1 : 0 });
        active = active.flatMap(({ index }, row) => {
          counts[index] = rows[row * ROW_FIELDS + ROW.COUNT] ?? 0;
          return rows[row * ROW_FIELDS + ROW.DONE] === 1 ? [] : [{ index, state: rows[row * ROW_FIELDS + ROW.STATE] ?? 0 }];
        });
      }
      return requests.map((_, index) => {
        const count = counts[index] ?? 0;
        const field = (which: number) => (_unused: unknown, at: number): number => actions[(index * limit + at) * ACTION_FIELDS + which] ?? 0;
        const tokens = Uint32Array.from({ length: count }, field(ACTION.TOKEN));
        const automatonStates = Uint16Array.from({ length: count }, field(ACTION.STATE));
        const ended = count > 0 && automaton.next[(automatonStates[count - 1] ?? 0) * vocabulary + (tokens[count - 1] ?? 0)] === ACCEPT;
        return { tokens, logprobs: Float32Array.from({ length: count }, field(ACTION.LOGPROB)), automatonStates, stop: ended ? "end-of-action" : "length" };
      });
    },
    async nextLogprobs(requests) {
      const logits = await logitsAfter(queue, shape, context, requests.map(({ tokens }) => tokens));
      const result = new Float32Array(requests.length * vocabulary).fill(-Infinity);
      for (const [row, { automatonState }] of requests.entries()) {
        checked(logits, automatonState, row);
        const isLegal = (token: number): boolean => automaton.next[automatonState * vocabulary + token] !== ILLEGAL;
        const normaliser = legalLogNormaliser(logits, row * stride, vocabulary, isLegal);
        for (let token = 0; token < vocabulary; token += 1) if (isLegal(token)) result[row * vocabulary + token] = (logits[row * stride + token] ?? 0) - normaliser;
      }
      return result;
    },
  };
}

/** What a model is run for before anything counts, so that the shaders of short and long contexts, one and several, are there. */
export const warmShapes = (context: number): readonly (readonly [number, number])[] => [[1, 2], [2, Math.min(8, context)], [1, context]];

/** Log-probabilities may differ by so much when what stands behind a token changes. */
const CAUSAL = 1e-3;

/** @throws PolicyError where what comes behind a token changes what is predicted at it: such a model cannot act */
export async function refuseUnlessCausal(queue: Pick<PlayerQueue, "run">, { columns }: PlayerShape, vocabulary: number, context: number): Promise<void> {
  const [time, at] = [Math.min(8, context), Math.min(3, context - 1)];
  const row = (seed: number): bigint[] => Array.from({ length: time }, (_, index) => BigInt((index <= at ? 1 + index : seed * (index + 1)) % vocabulary));
  const logits = await queue.run(BigInt64Array.from([...row(3), ...row(5)]), 2, time, Uint32Array.of(at, time + at));
  for (let token = 0; token < vocabulary; token += 1) {
    const [one, other] = [logits[token] ?? Number.NaN, logits[columns + token] ?? Number.NaN];
    if (!(Math.abs(one - other) <= CAUSAL * Math.max(1, Math.abs(one)))) throw new PolicyError(`the model is not causal: at token ${at + 1} its logit of token ${token} is ${one} or ${other}, as other tokens follow`);
  }
}
