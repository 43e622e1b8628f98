import { PolicyError } from "#core/errors.ts";
import type { Completion, SampleOptions, SampleRequest } from "#core/policy.ts";
import { ACCEPT, ILLEGAL, type TokenAutomaton } from "#core/tokens.ts";
import type { DeviceBuffer, Executor } from "./executor.ts";
import type { View } from "./kernel.ts";
import { ROW, ROW_FIELDS } from "./kernels/rows.ts";
import { ACTION, ACTION_FIELDS, NOT_FORCED, sampleToken } from "./kernels/sample-token/index.ts";
import { heaviestRow } from "./model.ts";
import { evenChunks } from "./packing.ts";
import type { KvCache, Transformer } from "./transformer.ts";
import type { Workspace } from "./workspace.ts";

/** The cache grows by this many contexts. */
export const SLOTS_AT_ONCE = 64;
const NOT_WRITTEN = -1;

/** The automaton as the sampling kernel reads it: next states, and the token that alone ends the action in a state. */
export function automatonTable(automaton: TokenAutomaton): Uint32Array<ArrayBuffer> {
  const { vocabularySize: vocabulary, states, next, endToken } = automaton;
  const table = new Uint32Array(states * (vocabulary + 1));
  for (let state = 0; state < states; state += 1) {
    let legal = 0;
    for (let token = 0; token < vocabulary; token += 1) {
      const to = next[state * vocabulary + token] ?? ILLEGAL;
      table[state * (vocabulary + 1) + token] = to;
      if (to !== ILLEGAL) legal += 1;
    }
    const ends = legal === 1 && next[state * vocabulary + endToken] === ACCEPT;
    table[state * (vocabulary + 1) + vocabulary] = ends ? endToken : NOT_FORCED;
  }
  return table;
}

/** Samples whole actions with a key-value cache: contexts are computed once, and again only from where they first differ. */
export class Sampler {
  readonly #executor: Executor;
  readonly #workspace: Workspace;
  readonly #model: Transformer;
  readonly #automaton: DeviceBuffer;
  readonly #next: (state: number, token: number) => number;
  #cache: KvCache = { layers: [] };
  #slots = 0;
  /** Tokens whose keys each slot holds. */
  #held: Uint32Array[] = [];

  constructor(executor: Executor, workspace: Workspace, model: Transformer, automaton: TokenAutomaton) {
    this.#executor = executor;
    this.#workspace = workspace;
    this.#model = model;
    const table = automatonTable(automaton);
    this.#next = (state, token) => automaton.next[state * automaton.vocabularySize + token] ?? ILLEGAL;
    this.#automaton = executor.alloc("sampler.automaton", "u32", table.length);
    executor.upload(this.#automaton, table);
  }

  /** Forgets every cached key: call whenever the weights change. */
  forget(): void {
    this.#held = [];
  }

  dispose(): void {
    this.#executor.free(this.#automaton);
    for (const buffer of this.#cache.layers) this.#executor.free(buffer);
    this.#cache = { layers: [] };
  }

  #reserve(slots: number): void {
    if (slots <= this.#slots) return;
    const { layers, context, width } = this.#model.layout.config;
    for (const buffer of this.#cache.layers) this.#executor.free(buffer);
    this.#slots = Math.ceil(slots / SLOTS_AT_ONCE) * SLOTS_AT_ONCE;
    this.#held = [];
    this.#cache = {
      layers: Array.from({ length: layers }, (_, layer) => this.#executor.alloc(`cache.${layer}`, "f32", this.#slots * context * 2 * width)),
    };
  }

  /** Computes what is not cached of every context; returns logits of each last token and its row record. */
  #prefill(weights: DeviceBuffer, requests: readonly SampleRequest[]): { readonly logits: DeviceBuffer; readonly records: Uint32Array<ArrayBuffer> } {
    const { context } = this.#model.layout.config;
    this.#reserve(requests.reduce((most, { slot }) => Math.max(most, slot + 1), 0));
    const starts = requests.map(({ tokens, slot }) => {
      if (tokens.length === 0 || tokens.length > context) throw new PolicyError(`context has ${tokens.length} tokens, allowed are 1 to ${context}`);
      const held = this.#held[slot];
      let common = 0;
      if (held) while (common < held.length && common < tokens.length - 1 && held[common] === tokens[common]) common += 1;
      return common;
    });
    const total = requests.reduce((sum, { tokens }, index) => sum + tokens.length - (starts[index] ?? 0), 0);
    const rows = new Uint32Array(total * ROW_FIELDS);
    const [pick, records] = [new Uint32Array(requests.length), new Uint32Array(requests.length * ROW_FIELDS)];
    let row = 0;
    for (const [index, { tokens, slot, automatonState }] of requests.entries()) {
      for (let position = starts[index] ?? 0; position < tokens.length; position += 1, row += 1) {
        const at = row * ROW_FIELDS;
        rows[at + ROW.TOKEN] = tokens[position] ?? 0;
        rows[at + ROW.PREVIOUS] = position > 0 ? (tokens[position - 1] ?? 0) : 0;
        rows[at + ROW.POSITION] = position;
        rows[at + ROW.KEY_START] = slot * context;
        rows[at + ROW.END] = index;
        rows[at + ROW.STATE] = automatonState;
      }
      pick[index] = row - 1;
      records.set(rows.subarray((row - 1) * ROW_FIELDS, row * ROW_FIELDS), index * ROW_FIELDS);
      this.#held[slot] = tokens;
    }
    const x = this.#model.trunk(weights, this.#uploaded("sampler.rows", rows), evenChunks(total, this.#executor.rowsAtOnce(heaviestRow(this.#model.layout))), "pass", this.#cache);
    const picked = this.#model.pick(x, this.#uploaded("sampler.pick", pick), requests.length, "sampler.picked");
    return { logits: this.#model.logits(weights, picked, requests.length, "sampler"), records };
  }

  #uploaded(name: string, values: View): DeviceBuffer {
    const buffer = this.#workspace.get(name, values instanceof Float32Array ? "f32" : "u32", values.length);
    this.#executor.upload(buffer, values);
    return buffer;
  }

  /** logits[requests, headColumns] after each context. */
  logits(weights: DeviceBuffer, requests: readonly SampleRequest[]): DeviceBuffer {
    return this.#prefill(weights, requests).logits;
  }

  async sample(weights: DeviceBuffer, requests: readonly SampleRequest[], { greedy, maxTokens: limit }: SampleOptions): Promise<readonly Completion[]> {
    if (requests.length === 0) return [];
    const { config: { vocabulary, context }, headColumns: stride } = this.#model.layout;
    for (const { tokens } of requests)
      if (tokens.length + limit > context) throw new PolicyError(`context of ${tokens.length} tokens leaves no room for an action of ${limit} (context length ${context})`);
    const run = this.#executor.run.bind(this.#executor);
    const { logits: first, records } = this.#prefill(weights, requests);
    const uniforms = new Float32Array(requests.length * limit);
    for (const [index, { rng }] of requests.entries()) for (let draw = 0; draw < limit; draw += 1) uniforms[index * limit + draw] = rng.next();
    const [cursor, draws] = [this.#uploaded("sampler.cursor", records), this.#uploaded("sampler.uniforms", uniforms)];
    const actions = this.#uploaded("sampler.actions", new Float32Array(requests.length * limit * ACTION_FIELDS).fill(NOT_WRITTEN));
    const draw = (logits: DeviceBuffer, rows: number): void =>
      run(sampleToken, [logits, draws, this.#automaton, cursor, actions], { vocabulary, stride, limit, rows, greedy: greedy ? 1 : 0 });
    draw(first, requests.length);
    let active = requests.length;
    for (let step = 1; step < limit; step += 1) {
      active = this.#compact(cursor, active);
      if (active === 0) break;
      const x = this.#model.trunk(weights, cursor, [{ first: 0, count: active }], "pass", this.#cache);
      draw(this.#model.logits(weights, x, active, "sampler"), active);
    }
    const written = await this.#executor.read(actions, 0, requests.length * limit * ACTION_FIELDS);
    return requests.map(({ tokens, slot }, index) => this.#completion(tokens, slot, written.subarray(index * limit * ACTION_FIELDS, (index + 1) * limit * ACTION_FIELDS)));
  }

  /** Moves the rows still writing to the front, where the host shares memory; elsewhere finished rows idle along. */
  #compact(cursor: DeviceBuffer, active: number): number {
    const view = this.#executor.view(cursor);
    if (!view) return active;
    let kept = 0;
    for (let row = 0; row < active; row += 1) {
      if (view[row * ROW_FIELDS + ROW.DONE] === 1) continue;
      if (kept !== row) view.copyWithin(kept * ROW_FIELDS, row * ROW_FIELDS, (row + 1) * ROW_FIELDS);
      kept += 1;
    }
    return kept;
  }

  /** @param written the tokens' records of one request, those that were not written too */
  #completion(context: Uint32Array, slot: number, written: View): Completion {
    let count = 0;
    while (count * ACTION_FIELDS < written.length && written[count * ACTION_FIELDS] !== NOT_WRITTEN) count += 1;
    const [tokens, states, logprobs] = [new Uint32Array(count), new Uint16Array(count), new Float32Array(count)];
    for (let at = 0; at < count; at += 1) {
      tokens[at] = written[at * ACTION_FIELDS + ACTION.TOKEN] ?? 0;
      states[at] = written[at * ACTION_FIELDS + ACTION.STATE] ?? 0;
      logprobs[at] = written[at * ACTION_FIELDS + ACTION.LOGPROB] ?? 0;
    }
    // Every token but the last two surely went through the model; the last may have been forced, the one before it not needed.
    const computed = Math.max(0, count - 2);
    const held = new Uint32Array(context.length + computed);
    held.set(context);
    held.set(tokens.subarray(0, computed), context.length);
    this.#held[slot] = held;
    const stop = this.#ended(tokens, states) ? "end-of-action" : "length";
    return { tokens, logprobs, automatonStates: states, stop };
  }

  #ended(tokens: Uint32Array, states: Uint16Array): boolean {
    const last = tokens.length - 1;
    return last >= 0 && this.#next(states[last] ?? 0, tokens[last] ?? 0) === ACCEPT;
  }
}
