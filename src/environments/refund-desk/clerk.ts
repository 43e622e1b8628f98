import type { Rng } from "#core/chance.ts";
import type { ScriptedAgent } from "#core/environment.ts";
import { choose } from "#core/rng.ts";
import type { Action, Observation } from "#core/trajectory.ts";
import { addNote, beginNotes, isBusy, type Notes } from "./notes.ts";
import { isEligible, type Age } from "./prior.ts";
import { RECENT } from "./words.ts";

/** Chance of each slip, wherever it can be made. All zero: the oracle. */
export interface Slips {
  /** Denies as the first thing. */
  readonly denyAtOnce: number;
  /** Asks what the request already says. */
  readonly askNeedlessly: number;
  /** Picks one of the orders that share the item instead of asking. */
  readonly guess: number;
  /** Picks the newest order so far, or any, instead of checking all. */
  readonly settleEarly: number;
  /** Checks another order than the one that is meant, and goes by it. */
  readonly checkWrong: number;
  readonly refundUnchecked: number;
  /** Makes a call again that was answered, and perhaps again. */
  readonly repeat: number;
  /** After a good question: asks again, and goes on so. */
  readonly stall: number;
}
export type Slip = keyof Slips;

export const NO_SLIPS: Slips = {
  denyAtOnce: 0, askNeedlessly: 0, guess: 0, settleEarly: 0, checkWrong: 0, refundUnchecked: 0, repeat: 0, stall: 0,
};

/** Chance that a repeated call is repeated once more. */
const KEEP_REPEATING = 0.8;

const tool = (name: string, order?: string): Action => ({ kind: "tool", name, args: order === undefined ? {} : { order } });
const LOOK_UP = tool("lookup_orders");
const ASK = tool("ask_customer");
const DENY = tool("deny");
const FINISH = tool("finish");

/** An order not shipped yet is the newest. */
const newest = (dates: readonly (readonly [string, Age])[]): string | null =>
  dates.toSorted(([, a], [, b]) => (a ?? 0) - (b ?? 0))[0]?.[0] ?? null;

class Clerk {
  readonly #rng: Rng;
  readonly #slips: Slips;
  readonly #onSlip: (slip: Slip) => void;
  #notes: Notes | null = null;
  #last: Action = FINISH;
  /** The order settled on. */
  #picked: string | null = null;
  #habit: "none" | "repeat" | "stall" = "none";

  constructor(rng: Rng, slips: Slips, onSlip: (slip: Slip) => void) {
    this.#rng = rng;
    this.#slips = slips;
    this.#onSlip = onSlip;
  }

  act(observation: Observation): Action {
    const first = this.#notes === null;
    const notes = this.#notes === null ? beginNotes(observation) : addNote(this.#notes, { action: this.#last, observation });
    this.#notes = notes;
    const again = !first && !isBusy(observation) && this.#repeats(notes, observation);
    if (!again) this.#last = first && this.#slip("denyAtOnce") ? DENY : this.#next(notes);
    return this.#last;
  }

  #slip(slip: Slip): boolean {
    const chance = this.#slips[slip];
    if (chance === 0 || this.#rng.next() >= chance) return false;
    this.#onSlip(slip);
    return true;
  }

  #repeats(notes: Notes, { kind }: Observation): boolean {
    if (this.#habit === "stall") return true;
    if (this.#habit === "repeat" && this.#rng.next() < KEEP_REPEATING) return true;
    const justAsked = kind === "user" && notes.named !== null && this.#habit === "none";
    const read = kind === "orders" || kind === "shipped" || kind === "pending" || kind === "user";
    if (justAsked && this.#slip("stall")) this.#habit = "stall";
    else this.#habit = this.#habit === "none" && read && this.#slip("repeat") ? "repeat" : "none";
    return this.#habit !== "none";
  }

  #next(notes: Notes): Action {
    if (notes.denied || notes.refunded.length > 0) return FINISH;
    if (notes.listing === null) return this.#asksNeedlessly(notes) ? ASK : LOOK_UP;
    const ids = notes.listing.map(({ id }) => id);
    if (notes.briefed) return this.#atOnce(notes, ids);
    this.#picked ??= ids.length === 1 ? (ids[0] ?? null) : null;
    if (this.#picked === null) {
      const search = notes.wanted === RECENT ? this.#seekNewest(notes, ids) : this.#seekItem(notes);
      if (search !== null) return search;
    }
    return this.#picked === null ? DENY : this.#decide(notes, ids, this.#picked);
  }

  /** The one call of a case that is all on the table: slips are of judgement alone. */
  #atOnce(notes: Notes, ids: readonly string[]): Action {
    const meant = notes.wanted === RECENT ? newest([...notes.dates]) : (notes.named ?? notes.listing?.find(({ item }) => item === notes.wanted)?.id ?? null);
    const others = ids.filter((id) => id !== meant);
    const picked = others.length > 0 && this.#slip("checkWrong") ? choose(this.#rng, others) : meant;
    if (picked === null) return DENY;
    return isEligible(notes.dates.get(picked) ?? null, notes.window) || this.#slip("settleEarly") ? tool("refund", picked) : DENY;
  }

  #asksNeedlessly(notes: Notes): boolean {
    return !notes.asked && this.#slip("askNeedlessly");
  }

  /** The call that helps to find the newest order; null once one is settled on. */
  #seekNewest(notes: Notes, ids: readonly string[]): Action | null {
    const seen = [...notes.dates];
    const unchecked = ids.find((id) => !notes.dates.has(id));
    if (unchecked === undefined || seen.some(([, age]) => age === null)) this.#picked = newest(seen);
    else if (this.#slip("settleEarly")) this.#picked = newest(seen) ?? choose(this.#rng, ids);
    else return this.#asksNeedlessly(notes) ? ASK : tool("check_ship_date", unchecked);
    return null;
  }

  /** The same for the order with the wanted item. */
  #seekItem({ listing, wanted, named }: Notes): Action | null {
    const matches = (listing ?? []).flatMap(({ item, id }) => (item === wanted ? [id] : []));
    if (named === null && matches.length > 1 && !this.#slip("guess")) return ASK;
    this.#picked = named ?? (matches.length > 1 ? choose(this.#rng, matches) : (matches[0] ?? null));
    return null;
  }

  #decide(notes: Notes, ids: readonly string[], picked: string): Action {
    const age = notes.dates.get(picked);
    if (age !== undefined) return isEligible(age, notes.window) ? tool("refund", picked) : DENY;
    if (this.#slip("refundUnchecked")) return tool("refund", picked);
    const others = ids.filter((id) => id !== picked);
    if (others.length > 0 && this.#slip("checkWrong")) this.#picked = choose(this.#rng, others);
    else if (this.#asksNeedlessly(notes)) return ASK;
    return tool("check_ship_date", this.#picked ?? picked);
  }
}

/** Looks up, asks if need be, checks, decides, finishes; acts on observations alone. `onSlip` hears of each slip. */
export const clerk = (slips: Slips, onSlip: (slip: Slip) => void = () => {}): ScriptedAgent => (rng) => {
  const worker = new Clerk(rng, slips, onSlip);
  return (last) => worker.act(last);
};
