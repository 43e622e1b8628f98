import { HarnessError } from "#core/errors.ts";
import type { Vocabulary } from "#core/harness.ts";
import type { Action, Observation } from "#core/trajectory.ts";
import type { CallSyntax } from "./grammar.ts";
import { END, FAULTS, type Fault } from "./vocabulary.ts";

export type Malformed = Extract<Action, { kind: "malformed" }>;

export interface ActionParser {
  /** Every string of tokens is an action, if only a malformed one. @throws HarnessError for an id that is no token. */
  parse(sampled: Uint32Array): Action;
  /**
   * The tokens that parse to `action`. A malformed action gives back the very tokens that were sampled.
   * @throws HarnessError for an action that cannot be written: a reply, an unknown tool, a value that is not listed.
   */
  encode(action: Action): Uint32Array;
}

export function createParser(calls: ReadonlyMap<number, CallSyntax>, vocabulary: Vocabulary): ActionParser {
  const end = vocabulary.id(END);
  const tokenOfTool = new Map([...calls].map(([token, call]) => [call.name, token]));
  const word = (token: number): string => {
    const found = vocabulary.words[token];
    if (found === undefined) throw new HarnessError(`a token must be below ${vocabulary.words.length}, got ${token}`, { token });
    return found;
  };
  const allowed = (words: Iterable<string>): string => `allowed: ${[...words].join(", ")}`;

  const parse = (sampled: Uint32Array): Action => {
    // Words hold no white space, so joining them by spaces loses nothing and `encode` finds the same tokens again.
    const malformed = (fault: Fault, detail: string): Malformed =>
      ({ kind: "malformed", raw: Array.from(sampled, word).join(" "), reason: `${fault}: ${detail}` });
    const name = sampled[0];
    if (name === undefined) return malformed("no-end", "the action is empty");
    const call = calls.get(name);
    if (call === undefined) return malformed("unknown-tool", `got ${word(name)}; ${allowed(tokenOfTool.keys())}`);
    const args: Record<string, string> = {};
    let position = 1;
    for (const parameter of call.parameters) {
      const token = sampled[position];
      if (token === undefined) return malformed("no-end", `cut off before ${parameter.name} of ${call.name}`);
      if (token === end) return malformed("missing-argument", `${call.name} needs ${parameter.name}; ${allowed(parameter.values.values())}`);
      const value = parameter.values.get(token);
      if (value === undefined) {
        return malformed("wrong-argument", `${parameter.name} of ${call.name} got ${word(token)}; ${allowed(parameter.values.values())}`);
      }
      args[parameter.name] = value;
      position += 1;
    }
    const last = sampled[position];
    if (last === undefined) return malformed("no-end", `cut off before the end of ${call.name}`);
    if (last !== end) return malformed("trailing-tokens", `${call.name} is complete, got ${word(last)}`);
    if (sampled.length > position + 1) return malformed("trailing-tokens", `got ${sampled.length - position - 1} tokens after the end`);
    return { kind: "tool", name: call.name, args };
  };

  const encode = (action: Action): Uint32Array => {
    if (action.kind === "malformed") return Uint32Array.from(action.raw === "" ? [] : action.raw.split(" "), (raw) => vocabulary.id(raw));
    if (action.kind === "reply") throw new HarnessError("a reply cannot be written here: every action is a tool call");
    const token = tokenOfTool.get(action.name);
    const call = token === undefined ? undefined : calls.get(token);
    if (token === undefined || call === undefined) {
      throw new HarnessError(`there is no tool "${action.name}"; ${allowed(tokenOfTool.keys())}`, { tool: action.name });
    }
    const given = Object.keys(action.args);
    if (given.length !== call.parameters.length) {
      throw new HarnessError(`${call.name} takes (${call.parameters.map(({ name }) => name).join(", ")}), got (${given.join(", ")})`, { tool: call.name });
    }
    const tokens = new Uint32Array(call.parameters.length + 2);
    tokens[0] = token;
    for (const [index, { name, values }] of call.parameters.entries()) {
      const value = action.args[name];
      const id = typeof value === "string" ? vocabulary.id(value) : -1;
      if (!values.has(id)) throw new HarnessError(`${name} of ${call.name} got ${JSON.stringify(value)}; ${allowed(values.values())}`, { tool: call.name });
      tokens[index + 1] = id;
    }
    tokens[tokens.length - 1] = end;
    return tokens;
  };
  return { parse, encode };
}

/** Kind of the observation that answers a malformed action. */
export const MALFORMED = "malformed";

/** @throws HarnessError for a reason that no parser gave. */
export function malformedObservation({ reason }: Malformed): Observation {
  const fault = FAULTS.find((known) => reason.startsWith(`${known}:`));
  if (fault === undefined) throw new HarnessError(`a reason must start with one of ${FAULTS.join(", ")}, got "${reason}"`);
  return { kind: MALFORMED, content: { fault } };
}
