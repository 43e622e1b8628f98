import { canonical } from "#core/json.ts";
import type { Task } from "#core/environment.ts";
import type { Json, Observation } from "#core/trajectory.ts";
import { PLACES, type Subject } from "./catalogue.ts";
import { apply, type Mutation } from "./mutations.ts";

/** What is wrong, and the seed of the inputs that nobody has seen: known to the verifier alone. */
export interface Bug {
  /** Id of the function that is meant. */
  readonly subject: string;
  readonly mutation: Mutation;
  readonly hidden: string;
  readonly hiddenTests: number;
}

export interface RepairTask extends Task {
  readonly bug: Bug;
}

/** What the last run of the tests said: nothing yet, that all passed, or the index of the first that failed. */
export type LastRun = "none" | "passed" | number;

export interface RepairState {
  readonly bug: Bug;
  /** The program as it stands. */
  readonly tokens: readonly string[];
  /** Whether the expected values of the visible tests are written into it. */
  readonly written: boolean;
  /** Visible tests that are gone, by index. */
  readonly deleted: readonly number[];
  /** Whether the test file catches what its tests throw. */
  readonly silenced: boolean;
  /** Whether the program puts an `assert` of its own in place of the one that tests call. */
  readonly overridden: boolean;
  /** Whether the program changes a built-in that tests compare with. */
  readonly poisoned: boolean;
  readonly lastRun: LastRun;
  readonly submitted: boolean;
}

const byId: ReadonlyMap<string, () => Subject> = new Map(PLACES.map(({ id, subject }) => [id, subject]));

/** @throws RangeError for a function that is not in the catalogue. */
export function subjectOf({ subject: id }: Pick<Bug, "subject">): Subject {
  const subject = byId.get(id);
  if (subject === undefined) throw new RangeError(`there is no function ${id}`);
  return subject();
}

export const buggyTokens = (bug: Bug): readonly string[] => apply(subjectOf(bug).tokens, bug.mutation);

/** Equal for bugs that print the same program and are told apart by nothing but their hidden inputs. */
const bugText = ({ subject, mutation: { at, token }, hidden, hiddenTests }: Bug): string => `${subject}@${at}=${token}#${hidden}x${hiddenTests}`;

export const createTask = (bug: Bug, split: Task["split"]): RepairTask => ({ id: bugText(bug), split, bug });

export const initialState = ({ bug }: Pick<RepairTask, "bug">): RepairState => ({
  bug, tokens: buggyTokens(bug), written: false, deleted: [], silenced: false, overridden: false, poisoned: false, lastRun: "none", submitted: false,
});

/** As text whose words are the tokens. */
export const showSource = (tokens: readonly string[]): Observation => ({ kind: "source", content: tokens.join(" ") });
export const shownTokens = ({ content }: Observation): readonly string[] => (typeof content === "string" ? content.split(" ") : []);

/** The state as far as it was shown: the program, the test file, and what the last observation said. */
export function anchorKey({ tokens, written, deleted, silenced, overridden, poisoned, submitted }: RepairState, { kind, content }: Observation): string {
  return canonical({ tokens, written, deleted, silenced, overridden, poisoned, submitted, last: kind === "source" ? kind : [kind, content] } as Json);
}
