import type { Rng } from "#core/chance.ts";
import type { ScriptedAgent } from "#core/environment.ts";
import { choose, drawIndex } from "#core/rng.ts";
import type { Action, Observation, SeenStep } from "#core/trajectory.ts";
import { mutationsOf, type Mutation } from "./mutations.ts";
import { createTask, shownTokens } from "./state.ts";
import { POSITIONS } from "./words.ts";
import { replay, suspects } from "./worlds.ts";

/** Chance of each slip, wherever it can be made. All zero: the oracle. */
export interface Slips {
  /** Hands in what it was given. */
  readonly submitAtOnce: number;
  /** Edits before any test was run. */
  readonly editUntested: number;
  /** Puts another token in the right place. */
  readonly wrongToken: number;
  /** Puts a token somewhere else. */
  readonly wrongPlace: number;
  /** Prints what it has seen already. */
  readonly lookNeedlessly: number;
  /** Hands in without running the tests again. */
  readonly submitUntested: number;
  /** Hands in although a test failed after the edit. */
  readonly giveUp: number;
  /** Makes the failing test go away instead. */
  readonly cheat: number;
}
export type Slip = keyof Slips;

export const NO_SLIPS: Slips = {
  submitAtOnce: 0, editUntested: 0, wrongToken: 0, wrongPlace: 0, lookNeedlessly: 0, submitUntested: 0, giveUp: 0, cheat: 0,
};

const tool = (name: string): Action => ({ kind: "tool", name, args: {} });
const editAt = ({ at, token }: Mutation): Action => ({ kind: "tool", name: "edit", args: { position: POSITIONS[at] ?? "", token } });
const [LOOK, RUN, DELETE, SUBMIT] = [tool("look"), tool("run_tests"), tool("delete_test"), tool("submit")];
const CHEATS: readonly Action[] = [tool("write_expected"), DELETE, tool("swallow_error")];
const MORE_CHEATS: readonly Action[] = [...CHEATS, tool("override_assert"), tool("poison_prototype")];

class Repairer {
  readonly #rng: Rng;
  readonly #slips: Slips;
  /** Told what is wrong, if anybody told it. */
  readonly #known: Mutation | null;
  readonly #cheats: readonly Action[];
  #first: Observation | undefined;
  readonly #seen: SeenStep[] = [];
  #last: Action = LOOK;
  readonly #tried = new Set<string>();
  /** The edit on trial, as what takes it back. */
  #trial: Mutation | null = null;
  /** What to put in once the last trial was taken back. */
  #waiting: Mutation | null = null;
  #cheating = false;
  #looked = false;

  constructor(rng: Rng, slips: Slips, known: Mutation | null, cheats: readonly Action[]) {
    this.#rng = rng;
    this.#slips = slips;
    this.#known = known;
    this.#cheats = cheats;
  }

  act(observation: Observation): Action {
    if (this.#first === undefined) this.#first = observation;
    else this.#seen.push({ action: this.#last, observation });
    this.#last = this.#next(this.#first, observation);
    return this.#last;
  }

  #slip(slip: Slip): boolean {
    return this.#slips[slip] > 0 && this.#rng.next() < this.#slips[slip];
  }

  #next(first: Observation, { kind }: Observation): Action {
    if (this.#seen.length === 0 && this.#slip("submitAtOnce")) return SUBMIT;
    if (!this.#looked && this.#slip("lookNeedlessly")) {
      this.#looked = true;
      return LOOK;
    }
    const untouched = this.#trial === null && !this.#cheating;
    switch (kind) {
      case "failed": return this.#afterFailure(first);
      case "passed": return untouched ? this.#repair(first) : SUBMIT;
      case "edited": return this.#waiting === null ? this.#handIn() : this.#put(first, this.#waiting);
      case "deleted":
      case "written":
      case "silenced":
      case "overridden":
      case "poisoned": return this.#handIn();
      case "error": return SUBMIT;
      default: return untouched && this.#slip("editUntested") ? this.#repair(first) : RUN;
    }
  }

  #handIn(): Action {
    return this.#slip("submitUntested") ? SUBMIT : RUN;
  }

  #afterFailure(first: Observation): Action {
    if (this.#cheating) return DELETE;
    if (this.#slip("cheat")) {
      this.#cheating = true;
      return choose(this.#rng, this.#cheats);
    }
    return this.#trial !== null && this.#slip("giveUp") ? SUBMIT : this.#repair(first);
  }

  /** The likeliest edit not yet tried, given all that was seen; one that did not help is taken back first. */
  #repair(first: Observation): Action {
    const made = this.#slipped(first, this.#meant(first));
    this.#tried.add(`${made.at}=${made.token}`);
    const trial = this.#trial;
    if (trial === null || trial.at === made.at) return this.#put(first, made);
    this.#waiting = made;
    return editAt(trial);
  }

  #put(first: Observation, made: Mutation): Action {
    this.#waiting = null;
    this.#trial = { at: made.at, token: shownTokens(first)[made.at] ?? "" };
    return editAt(made);
  }

  #meant(first: Observation): Mutation {
    if (this.#known !== null) return this.#known;
    const suspected = suspects(first);
    const fitting = suspected.filter(({ subject: { id }, mutation }) =>
      replay(createTask({ subject: id, mutation, hidden: "", hiddenTests: 0 }, "train"), this.#seen) !== undefined);
    const repairs = (fitting.length > 0 ? fitting : suspected).map(({ subject, mutation: { at } }) => ({ at, token: subject.tokens[at] ?? "" }));
    return repairs.find(({ at, token }) => !this.#tried.has(`${at}=${token}`)) ?? repairs[0] ?? { at: 0, token: "" };
  }

  #slipped(first: Observation, right: Mutation): Mutation {
    const program = shownTokens(first);
    const wrongPlace = this.#slip("wrongPlace");
    if (!wrongPlace && !this.#slip("wrongToken")) return right;
    const others = mutationsOf(program).filter(({ at, token }) => (wrongPlace ? at !== right.at : at === right.at && token !== right.token));
    return others.length === 0 ? right : (others[drawIndex(this.#rng, others.length)] ?? right);
  }
}

/** Runs the tests, puts the mistake right, runs them again, hands in; acts on observations alone. */
export const repairer = (slips: Slips): ScriptedAgent => (rng) => told(slips, null, rng);

/** The same, told what is wrong. @param moreCheats whether to cheat in all five ways instead of the usual three. */
export function told(slips: Slips, known: Mutation | null, rng: Rng, moreCheats = false): (last: Observation) => Action {
  const worker = new Repairer(rng, slips, known, moreCheats ? MORE_CHEATS : CHEATS);
  return (last) => worker.act(last);
}
