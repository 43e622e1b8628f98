import { legalLogNormaliser } from "#core/distribution.ts";
import { exp } from "#core/math.ts";
import { ACCEPT, ILLEGAL } from "#core/tokens.ts";
import { f32, ODD_SIZES, randomFloats, u32, value, type KernelDefinition } from "../../kernel.ts";
import { LEGAL_CASE, legality } from "../legal.ts";
import { ROW, ROW_FIELDS } from "../rows.ts";
import wgsl from "./kernel.wgsl?raw";

/** In the automaton's last column: this state does not force the action's end. */
export const NOT_FORCED = 0xffffffff;
/** Fields of a sampled token in `actions`, all in one buffer, so that one read brings all there is of a turn. */
export const ACTION = { TOKEN: 0, STATE: 1, LOGPROB: 2 } as const;
export const ACTION_FIELDS = 3;

/**
 * Draws the next token of every row that is not done, writes it to the row's request and makes the row the next one to be computed
 * (token, previous, position, state, count). Row r reads logits[r]; its request is ROW.END. automaton[state] has vocabulary + 1
 * columns: next state (ACCEPT, ILLEGAL), and the token that alone ends the action there, or NOT_FORCED; a forced end is appended
 * at once with log-probability 0. The draw: the first legal token, in order of ids, whose cumulative weight exceeds
 * uniform · Σ weights; `greedy` 1 takes the largest logit, first on ties. A request is done after `limit` tokens at most.
 */
export const sampleToken: KernelDefinition = {
  name: "sample-token",
  bindings: [
    { name: "logits", kind: "f32", access: "read" },
    { name: "uniforms", kind: "f32", access: "read" },
    { name: "automaton", kind: "u32", access: "read" },
    { name: "rows", kind: "u32", access: "write" },
    { name: "actions", kind: "f32", access: "write" },
  ],
  sizes: ["vocabulary", "stride", "limit"],
  params: [
    { name: "rows", kind: "u32" },
    { name: "greedy", kind: "u32" },
  ],
  threads: (values) => value(values, "rows"),
  workgroupSize: 64,
  wgsl,
  tolerance: 2e-5,
  reference(views, values) {
    const [logits, uniforms, automaton] = [f32(views, 0), f32(views, 1), u32(views, 2)];
    const [rows, actions] = [u32(views, 3), f32(views, 4)];
    const [vocabulary, stride, limit] = [value(values, "vocabulary"), value(values, "stride"), value(values, "limit")];
    for (let row = 0; row < value(values, "rows"); row += 1) {
      const base = row * ROW_FIELDS;
      if (rows[base + ROW.DONE] === 1) continue;
      const [request, state] = [rows[base + ROW.END] ?? 0, rows[base + ROW.STATE] ?? 0];
      let count = rows[base + ROW.COUNT] ?? 0;
      const next = (token: number): number => automaton[state * (vocabulary + 1) + token] ?? ILLEGAL;
      const isLegal = (token: number): boolean => next(token) !== ILLEGAL;
      const normaliser = legalLogNormaliser(logits, row * stride, vocabulary, isLegal);
      const target = uniforms[request * limit + count] ?? 0;
      let [chosen, cumulative, best, last] = [-1, 0, -Infinity, 0];
      for (let token = 0; token < vocabulary; token += 1) {
        if (!isLegal(token)) continue;
        const logit = logits[row * stride + token] ?? 0;
        last = token;
        cumulative += exp(logit - normaliser);
        if (value(values, "greedy") === 1) {
          if (logit > best) [best, chosen] = [logit, token];
        } else if (chosen < 0 && cumulative > target) chosen = token;
      }
      if (chosen < 0) chosen = last;
      const append = (token: number, before: number, logprob: number): void => {
        actions.set([token, before, logprob], (request * limit + count) * ACTION_FIELDS);
        count += 1;
        rows[base + ROW.PREVIOUS] = rows[base + ROW.TOKEN] ?? 0;
        rows[base + ROW.TOKEN] = token;
        rows[base + ROW.POSITION] = (rows[base + ROW.POSITION] ?? 0) + 1;
      };
      append(chosen, state, (logits[row * stride + chosen] ?? 0) - normaliser);
      let after = next(chosen);
      const forced = after === ACCEPT ? NOT_FORCED : (automaton[after * (vocabulary + 1) + vocabulary] ?? NOT_FORCED);
      if (forced !== NOT_FORCED && count < limit) {
        append(forced, after, 0);
        after = ACCEPT;
      }
      rows[base + ROW.STATE] = after;
      rows[base + ROW.COUNT] = count;
      rows[base + ROW.DONE] = after === ACCEPT || count >= limit ? 1 : 0;
    }
  },
  cases: (rng) =>
    ODD_SIZES.flatMap((count) =>
      [0, 1].map((greedy) => {
        const { vocabulary, stride, words, states, legal } = LEGAL_CASE;
        const limit = 3;
        const automaton = new Uint32Array(states * (vocabulary + 1)).fill(ILLEGAL);
        for (let state = 0; state < states; state += 1) {
          for (let token = 0; token < vocabulary; token += 1)
            if (legality(legal, words, state)(token)) automaton[state * (vocabulary + 1) + token] = state === 2 ? ACCEPT : token % 2 === 0 ? 2 : 1;
          automaton[state * (vocabulary + 1) + vocabulary] = state === 2 ? 34 : NOT_FORCED;
        }
        const rows = new Uint32Array(count * ROW_FIELDS);
        for (let row = 0; row < count; row += 1)
          rows.set([row % vocabulary, 0, row, 0, count - 1 - row, row % 3, (row + 1) % 3, row % 5 === 4 ? 1 : 0], row * ROW_FIELDS);
        // Draws stay off the boundaries between tokens, where rounding may decide.
        return {
          label: `${count} rows, greedy ${greedy}`,
          views: [
            randomFloats(rng, count * stride, 4),
            Float32Array.from({ length: count * limit }, () => rng.next()),
            automaton, rows, randomFloats(rng, count * limit * ACTION_FIELDS),
          ],
          values: { rows: count, vocabulary, stride, limit, greedy },
        };
      }),
    ),
};
