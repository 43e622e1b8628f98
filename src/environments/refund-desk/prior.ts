import type { Split } from "#core/environment.ts";
import { drawFrom, shuffled } from "#core/rng.ts";
import type { Rng } from "#core/chance.ts";
import type { RefundDeskConfig } from "./config.ts";
import { AGES } from "./words.ts";

/** The chances of the world in closed form: `tasks` draws from them, `worlds` enumerates them. */

/** `recent`: the order shipped last; `named`: the one order with an item; `ambiguous`: one of several with that item. */
export type Kind = "recent" | "named" | "ambiguous";

/** Days since shipping; null while not shipped. */
export type Age = number | null;

export interface AgeChance {
  readonly age: Age;
  readonly probability: number;
}

/** Share of the denied that are not shipped yet, where being too old is possible as well. */
const PENDING_SHARE = 0.4;

export const isEligible = (age: Age, window: number): boolean => age !== null && age <= window;

/** What counts as shipped before an order of this age; an order not shipped yet counts as the newest. */
const olderThan = (age: Age): readonly number[] => (age === null ? AGES : AGES.filter((other) => other > age));

export function kindShares({ ambiguousShare, recentShare }: RefundDeskConfig, maxOrders: number): readonly (readonly [Kind, number])[] {
  const ambiguous = maxOrders < 2 ? 0 : ambiguousShare;
  return [["recent", recentShare], ["named", Math.max(0, 1 - recentShare - ambiguous)], ["ambiguous", ambiguous]];
}

/** The equally likely numbers of orders. */
export function orderCounts(kind: Kind, split: Split, maxOrders: number): readonly number[] {
  if (split === "shifted") return [4];
  const least = kind === "ambiguous" ? 2 : 1;
  return Array.from({ length: maxOrders - least + 1 }, (_, index) => least + index);
}

/**
 * Ages of one order, of those in `allowed`: eligible with probability 1 − denyShare, evenly over the ages within the window; else
 * too old, evenly, or pending.
 */
function ageChances(window: number, denyShare: number, allowed: readonly number[]): readonly AgeChance[] {
  const within = allowed.filter((age) => age <= window);
  const beyond = allowed.filter((age) => age > window);
  const pending = beyond.length === 0 ? denyShare : denyShare * PENDING_SHARE;
  return [
    { age: null, probability: pending },
    ...within.map((age) => ({ age, probability: (1 - denyShare) / within.length })),
    ...beyond.map((age) => ({ age, probability: (denyShare - pending) / beyond.length })),
  ].filter(({ probability }) => probability > 0);
}

/** Any order of a named or ambiguous request, each independently of the others. */
const anyOrder = (window: number, denyShare: number): readonly AgeChance[] => ageChances(window, denyShare, AGES);

/**
 * The newest of `count` orders, in a `recent` request; the others then have distinct ages drawn evenly from `olderThan` it, so
 * it must leave room for them.
 */
const newestOrder = (window: number, denyShare: number, count: number): readonly AgeChance[] =>
  ageChances(window, denyShare, AGES.filter((age) => olderThan(age).length >= count - 1));

export interface DatedRequest {
  readonly kind: Kind;
  readonly window: number;
  /** Index of the order that is meant. */
  readonly target: number;
  readonly count: number;
}

function drawAge(rng: Rng, chances: readonly AgeChance[]): Age {
  const chance = chances[drawFrom(rng, chances.map(({ probability }) => probability))];
  if (chance === undefined) throw new RangeError("no age is possible");
  return chance.age;
}

const conditioned = (chances: readonly AgeChance[], window: number, denied: boolean | null): readonly AgeChance[] => {
  const kept = denied === null ? chances : chances.filter(({ age }) => isEligible(age, window) !== denied);
  const total = kept.reduce((sum, { probability }) => sum + probability, 0);
  return kept.map(({ age, probability }) => ({ age, probability: probability / total }));
};

/** Ages of all orders in listing order, given whether the right ending is a denial (null: as it comes). */
export function drawAges(rng: Rng, { kind, window, target, count }: DatedRequest, denyShare: number, denied: boolean | null): readonly Age[] {
  const chances = kind === "recent" ? newestOrder(window, denyShare, count) : anyOrder(window, denyShare);
  const meant = drawAge(rng, conditioned(chances, window, denied));
  const older = shuffled(rng, olderThan(meant));
  return Array.from({ length: count }, (_, index) => {
    if (index === target) return meant;
    return kind === "recent" ? (older.pop() ?? null) : drawAge(rng, chances);
  });
}

export interface Completion {
  readonly probability: number;
  readonly ages: readonly Age[];
  readonly target: number;
}

/** `known[i]` is undefined where the age of order i was not seen. */
type Known = readonly (Age | undefined)[];

const agrees = (known: Known, index: number, age: Age): boolean => known[index] === undefined || known[index] === age;

/** All ages and meant orders that a `recent` request leaves possible; weights are not normalised. */
function* recentCompletions(window: number, denyShare: number, known: Known): Generator<Completion> {
  const count = known.length;
  function* others(index: number, target: number, older: readonly number[], ages: readonly Age[], probability: number): Generator<Completion> {
    if (index === count) {
      yield { probability, ages, target };
      return;
    }
    if (index === target) {
      yield* others(index + 1, target, older, ages, probability);
      return;
    }
    for (const age of older) {
      if (!agrees(known, index, age)) continue;
      yield* others(index + 1, target, older.filter((other) => other !== age), ages.with(index, age), probability / older.length);
    }
  }
  for (let target = 0; target < count; target += 1) {
    for (const { age, probability } of newestOrder(window, denyShare, count)) {
      if (!agrees(known, target, age)) continue;
      const ages: readonly Age[] = Array.from({ length: count }, () => age);
      yield* others(0, target, olderThan(age), ages, probability / count);
    }
  }
}

/** The same for requests whose orders are independent; any of `targets` may be meant. */
function* itemCompletions(window: number, denyShare: number, known: Known, targets: readonly number[]): Generator<Completion> {
  const chances = anyOrder(window, denyShare);
  function* ages(index: number, chosen: readonly Age[], probability: number): Generator<Completion> {
    if (index === known.length) {
      for (const target of targets) yield { probability, ages: chosen, target };
      return;
    }
    for (const chance of chances) {
      if (agrees(known, index, chance.age)) yield* ages(index + 1, [...chosen, chance.age], probability * chance.probability);
    }
  }
  yield* ages(0, [], 1);
}

/** What a listing leaves open; `targets` are the orders that may be meant, by a request for an item. Probabilities sum to 1. */
export function completions(
  kind: Kind, window: number, denyShare: number, known: Known, targets: readonly number[],
): readonly Completion[] {
  const found = [...(kind === "recent" ? recentCompletions(window, denyShare, known) : itemCompletions(window, denyShare, known, targets))];
  const total = found.reduce((sum, { probability }) => sum + probability, 0);
  return found.map((completion) => ({ ...completion, probability: completion.probability / total }));
}
