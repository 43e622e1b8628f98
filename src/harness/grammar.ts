import type { ToolSchema } from "#core/environment.ts";
import { HarnessError } from "#core/errors.ts";
import type { Vocabulary } from "#core/harness.ts";
import { ACCEPT, FREE_STATE, ILLEGAL, type TokenAutomaton } from "#core/tokens.ts";
import { END, PAD } from "./vocabulary.ts";

/** How the calls of one tool are written: its name, one word per parameter in the schema's order, the end token. */
export interface CallSyntax {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly values: ReadonlyMap<number, string> }[];
}

/** By the token of the tool's name. @throws HarnessError for schemas that have no syntax here. */
export function callSyntax(tools: readonly ToolSchema[], vocabulary: Vocabulary): ReadonlyMap<number, CallSyntax> {
  if (tools.length === 0) throw new HarnessError("a harness needs at least one tool, got none");
  const calls = new Map<number, CallSyntax>();
  for (const { name, parameters } of tools) {
    const token = vocabulary.id(name);
    if (calls.has(token)) throw new HarnessError(`tool names must differ, got "${name}" twice`, { tool: name });
    const entries = Object.entries(parameters.properties);
    for (const [parameter, { enum: words }] of entries) {
      if (words.length === 0) throw new HarnessError(`parameter "${parameter}" of "${name}" must list its values, got none`, { tool: name, parameter });
      if (!parameters.required.includes(parameter)) {
        throw new HarnessError(`parameter "${parameter}" of "${name}" must be required: values are written by position`, { tool: name, parameter });
      }
    }
    calls.set(token, {
      name,
      parameters: entries.map(([parameter, schema]) => ({
        name: parameter, values: new Map(schema.enum.map((word) => [vocabulary.id(word), word])),
      })),
    });
  }
  return calls;
}

/** Tokens of the longest call, its end token included. */
export const longestCall = (calls: ReadonlyMap<number, CallSyntax>): number =>
  Math.max(...[...calls.values()].map((call) => call.parameters.length + 2));

/**
 * The automaton of `tool value… end`. State 0 is FREE_STATE, 1 the start; what remains to be written names every other state,
 * so tools whose last parameters have the same values share states, and all share the one that waits for the end token.
 */
export function compileGrammar(calls: ReadonlyMap<number, CallSyntax>, vocabulary: Vocabulary): TokenAutomaton {
  const end = vocabulary.id(END);
  const vocabularySize = vocabulary.words.length;
  const free = new Map(vocabulary.words.map((word, token) => [token, word === PAD ? ILLEGAL : word === END ? ACCEPT : FREE_STATE]));
  const start = new Map<number, number>();
  const rows: ReadonlyMap<number, number>[] = [free, start];
  const stateOf = new Map<string, number>();

  const stateFor = (remaining: readonly (readonly number[])[]): number => {
    const key = remaining.map((values) => values.join(",")).join(";");
    const known = stateOf.get(key);
    if (known !== undefined) return known;
    const [values, ...rest] = remaining;
    const next = values === undefined ? ACCEPT : stateFor(rest);
    const state = rows.push(new Map((values ?? [end]).map((token) => [token, next]))) - 1;
    stateOf.set(key, state);
    return state;
  };
  for (const [token, { parameters }] of calls) {
    start.set(token, stateFor(parameters.map(({ values }) => [...values.keys()].toSorted((a, b) => a - b))));
  }
  if (rows.length >= ACCEPT) throw new HarnessError(`a grammar may have ${ACCEPT - 1} states, got ${rows.length}`);

  const next = new Uint16Array(rows.length * vocabularySize).fill(ILLEGAL);
  for (const [state, row] of rows.entries()) for (const [token, target] of row) next[state * vocabularySize + token] = target;
  return { vocabularySize, states: rows.length, next, startState: 1, endToken: end };
}

/**
 * State before each token, from the start state.
 * @throws HarnessError where a token is not legal.
 */
export function walkAutomaton(automaton: TokenAutomaton, tokens: ArrayLike<number>): Uint16Array {
  const states = new Uint16Array(tokens.length);
  let state = automaton.startState;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as number;
    states[index] = state;
    state = state < automaton.states ? (automaton.next[state * automaton.vocabularySize + token] ?? ILLEGAL) : ILLEGAL;
    if (state === ILLEGAL) throw new HarnessError(`token ${token} at position ${index} of an action is not legal there`, { token, index });
  }
  return states;
}
