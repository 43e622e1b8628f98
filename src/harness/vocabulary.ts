import type { ToolSchema } from "#core/environment.ts";
import { HarnessError } from "#core/errors.ts";
import type { Vocabulary } from "#core/harness.ts";

/** Never sampled, never part of a context; fills rows up to their padded length. */
export const PAD = "<pad>";
export const BEGIN = "<begin>";
/** The last token of every complete action. */
export const END = "<end>";

/** Equivalent wordings of the markers; an episode uses one column throughout, column 0 unless wording is varied. */
export const MARKERS = {
  system: ["<system>", "<policy>", "<rules>", "<brief>"],
  user: ["<user>", "<customer>", "<human>", "<client>"],
  tool: ["<tool>", "<result>", "<output>", "<response>"],
  assistant: ["<assistant>", "<act>", "<agent>", "<call>"],
  error: ["<error>", "<invalid>", "<rejected>", "<fault>"],
} as const;
export type Marker = keyof typeof MARKERS;
export const WORDINGS = 4;

/** Why an action could not be parsed; also the word the policy is answered with. */
export const FAULTS = ["unknown-tool", "wrong-argument", "missing-argument", "trailing-tokens", "no-end"] as const;
export type Fault = (typeof FAULTS)[number];

const RESERVED: readonly string[] = [PAD, BEGIN, END, ...Object.values(MARKERS).flat()];

class WordList implements Vocabulary {
  readonly words: readonly string[];
  readonly #ids: ReadonlyMap<string, number>;
  constructor(words: readonly string[]) {
    this.words = words;
    this.#ids = new Map(words.map((word, id) => [word, id]));
  }
  id(word: string): number {
    const id = this.#ids.get(word);
    if (id === undefined) throw new HarnessError(`"${word}" is not one of the ${this.words.length} words of the vocabulary`, { word });
    return id;
  }
}

/**
 * Harness words first (`<pad>` is 0), then tool names, parameter values and `words`, each in the order given; repeats collapse.
 * @throws HarnessError for a word that is empty, holds white space or is one of the harness's own markers.
 */
export function buildVocabulary(tools: readonly ToolSchema[], words: readonly string[]): Vocabulary {
  const values = tools.flatMap((tool) => Object.values(tool.parameters.properties).flatMap((parameter) => parameter.enum));
  const given = [...tools.map((tool) => tool.name), ...values, ...words];
  for (const word of given) {
    if (!/^\S+$/.test(word)) throw new HarnessError(`a word must be non-empty and without white space, got "${word}"`, { word });
    if (RESERVED.includes(word)) throw new HarnessError(`"${word}" is a marker of the harness and cannot be a word of the environment`, { word });
  }
  return new WordList([...new Set([...RESERVED, ...FAULTS, ...given])]);
}
