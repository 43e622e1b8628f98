import type { Rng } from "#core/chance.ts";
import { exp } from "#core/math.ts";
import type { PolicyBackend, SampleRequest } from "#core/policy.ts";
import { ACCEPT, FREE_STATE, ILLEGAL, type TokenAutomaton } from "#core/tokens.ts";
import type { Action } from "#core/trajectory.ts";
import type { LoopHarness } from "#harness/tool-loop.ts";
import type { Pace } from "./pace.ts";

/** A whole action as it is written. */
export interface Written {
  /** `tokensText` of its tokens. */
  readonly text: string;
  readonly tokens: Uint32Array;
  readonly action: Action;
}

export interface Choice {
  readonly written: Written;
  readonly probability: number;
}

/** π(·|h): the listed probabilities and `rest` sum to 1. */
export interface Choices {
  /** The most probable first. */
  readonly list: readonly Choice[];
  /** Mass of the actions that were not looked at, each too improbable. */
  readonly rest: number;
}

export interface Context {
  /** Never changed once it was asked about. */
  readonly tokens: Uint32Array;
  /** `tokensText` of them. */
  readonly text: string;
}

/** One character a token: a key that sorts like the tokens. */
export const tokensText = (tokens: Uint32Array | readonly number[]): string => String.fromCharCode(...tokens);

export const contextOf = (tokens: Uint32Array): Context => ({ tokens, text: tokensText(tokens) });

/** Actions, and beginnings of actions, less probable than this are not listed. */
const LEAST_BEGINNING = 1e-4;
/** Slots of the policy's cache that are used, and how many contexts are worked on at a time: few, so that neighbours share a slot. */
const SLOTS = 192;
const LANES = 32;

interface Beginning {
  readonly written: readonly number[];
  readonly state: number;
  readonly mass: number;
}

interface Found {
  readonly tokens: readonly number[];
  readonly mass: number;
}

/** The contexts that one slot goes through; they come sorted, so that each shares most of its keys with the one before it. */
interface Lane {
  readonly slot: number;
  readonly waiting: Context[];
  context: Context | undefined;
  readonly beginnings: Beginning[];
  readonly found: Found[];
  rest: number;
}

export interface ChoiceTableOptions {
  readonly policy: Pick<PolicyBackend, "nextLogprobs">;
  readonly harness: Pick<LoopHarness, "automaton" | "longestAction" | "parse">;
  readonly constrained: boolean;
  /** By context text: actions whose probability is wanted however small it is. */
  readonly wanted: ReadonlyMap<string, ReadonlySet<string>>;
  readonly pace: Pace;
  /** Requests carry a stream; nothing is drawn from it. */
  readonly rng: Rng;
}

/**
 * What the policy does at a context, asked once: the probability of a whole action is the product of its tokens' along the
 * automaton. Contexts are asked about in batches; equal ones are one.
 */
export class ChoiceTable {
  readonly #options: ChoiceTableOptions;
  readonly #known = new Map<string, Choices>();
  readonly #actions = new Map<string, Written>();
  readonly #forced: Int32Array;
  /** What each slot is believed to hold; wrong beliefs cost time only. */
  readonly #held: (Uint32Array | undefined)[] = Array.from({ length: SLOTS });
  readonly #used = new Float64Array(SLOTS);
  #clock = 0;

  constructor(options: ChoiceTableOptions) {
    this.#options = options;
    this.#forced = forcedTokens(options.harness.automaton);
  }

  /** @throws RangeError for a context that was not asked about. */
  at({ text }: Context): Choices {
    const known = this.#known.get(text);
    if (!known) throw new RangeError("the policy was not asked about this context");
    return known;
  }

  async ask(contexts: readonly Context[]): Promise<void> {
    const fresh = new Map<string, Context>();
    for (const context of contexts) if (!this.#known.has(context.text)) fresh.set(context.text, context);
    let active = this.#lanes([...fresh.values()].toSorted((a, b) => (a.text < b.text ? -1 : 1)));
    while (active.length > 0) {
      await this.#options.pace.rest();
      const requests = active.map((lane) => this.#request(lane));
      const logprobs = await this.#options.policy.nextLogprobs(requests);
      const vocabulary = this.#options.harness.automaton.vocabularySize;
      for (const [index, lane] of active.entries()) this.#take(lane, logprobs.subarray(index * vocabulary, (index + 1) * vocabulary));
      active = active.filter(({ context, waiting }) => context !== undefined || waiting.length > 0);
    }
  }

  /** Neighbours go into one lane, each lane to the slot that holds most of its first context, the longest unused among equals. */
  #lanes(sorted: readonly Context[]): readonly Lane[] {
    this.#clock += 1;
    const count = Math.min(LANES, sorted.length);
    return Array.from({ length: count }, (_, lane) => {
      const waiting = sorted.slice(Math.floor((lane * sorted.length) / count), Math.floor(((lane + 1) * sorted.length) / count));
      let [slot, most, oldest] = [0, -1, Infinity];
      for (let candidate = 0; candidate < SLOTS; candidate += 1) {
        const used = this.#used[candidate] ?? 0;
        if (used === this.#clock) continue;
        const shared = commonPrefix(this.#held[candidate], waiting[0]?.tokens);
        if (shared > most || (shared === most && used < oldest)) [slot, most, oldest] = [candidate, shared, used];
      }
      this.#used[slot] = this.#clock;
      return { slot, waiting, context: undefined, beginnings: [], found: [], rest: 0 };
    });
  }

  #request(lane: Lane): SampleRequest {
    const { constrained, harness: { automaton }, rng } = this.#options;
    if (lane.context === undefined) {
      lane.context = lane.waiting.shift();
      lane.beginnings.push({ written: [], state: constrained ? automaton.startState : FREE_STATE, mass: 1 });
      lane.found.length = 0;
      lane.rest = 0;
    }
    const { written, state } = lane.beginnings.at(-1) as Beginning;
    const before = (lane.context as Context).tokens;
    const tokens = written.length === 0 ? before : appended(before, written);
    this.#held[lane.slot] = tokens;
    return { tokens, automatonState: state, slot: lane.slot, rng };
  }

  #take(lane: Lane, logprobs: Float32Array): void {
    const { harness: { automaton: { next, vocabularySize }, longestAction }, wanted } = this.#options;
    const { written, state, mass } = lane.beginnings.pop() as Beginning;
    const context = lane.context as Context;
    const needed = wanted.get(context.text);
    for (let token = 0; token < vocabularySize; token += 1) {
      const logprob = logprobs[token] as number;
      if (logprob === -Infinity) continue;
      const probability = mass * exp(logprob);
      const tokens = [...written, token];
      let to = next[state * vocabularySize + token] ?? ILLEGAL;
      for (let forced = this.#forced[to] ?? -1; to !== ACCEPT && forced >= 0 && tokens.length < longestAction; forced = this.#forced[to] ?? -1) {
        tokens.push(forced);
        to = next[to * vocabularySize + forced] ?? ILLEGAL;
      }
      const complete = to === ACCEPT || tokens.length >= longestAction;
      if (probability < LEAST_BEGINNING && !isWanted(needed, tokens, complete)) lane.rest += probability;
      else if (complete) lane.found.push({ tokens, mass: probability });
      else lane.beginnings.push({ written: tokens, state: to, mass: probability });
    }
    if (lane.beginnings.length > 0) return;
    this.#known.set(context.text, this.#choices(lane));
    lane.context = undefined;
  }

  /** Log-probabilities are rounded to single precision, hence the division by their sum. */
  #choices({ found, rest }: Lane): Choices {
    const total = found.reduce((sum, { mass }) => sum + mass, rest);
    const list = found.map(({ tokens, mass }) => ({ written: this.#action(tokens), probability: mass / total }));
    return { list: list.toSorted((a, b) => b.probability - a.probability), rest: rest / total };
  }

  #action(tokens: readonly number[]): Written {
    const text = tokensText(tokens);
    let known = this.#actions.get(text);
    if (!known) {
      const whole = Uint32Array.from(tokens);
      known = { text, tokens: whole, action: this.#options.harness.parse(whole) };
      this.#actions.set(text, known);
    }
    return known;
  }
}

/** The one token that may come next, by state; -1 where there is a choice. */
function forcedTokens({ next, states, vocabularySize }: TokenAutomaton): Int32Array {
  return Int32Array.from({ length: states }, (_, state) => {
    const legal = Array.from(next.subarray(state * vocabularySize, (state + 1) * vocabularySize).entries()).filter(([, to]) => to !== ILLEGAL);
    return legal.length === 1 ? (legal[0]?.[0] ?? -1) : -1;
  });
}

function isWanted(needed: ReadonlySet<string> | undefined, tokens: readonly number[], complete: boolean): boolean {
  if (!needed) return false;
  const text = tokensText(tokens);
  return complete ? needed.has(text) : [...needed].some((whole) => whole.startsWith(text));
}

function commonPrefix(a: Uint32Array | undefined, b: Uint32Array | undefined): number {
  if (!a || !b) return 0;
  const most = Math.min(a.length, b.length);
  let common = 0;
  while (common < most && a[common] === b[common]) common += 1;
  return common;
}

export function appended(tokens: Uint32Array, more: ArrayLike<number>): Uint32Array {
  const result = new Uint32Array(tokens.length + more.length);
  result.set(tokens);
  result.set(more, tokens.length);
  return result;
}
