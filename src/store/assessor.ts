import { createStore, type StoreApi } from "zustand/vanilla";
import type { Assessment, CreditId, GroupSource, SchemeCredit } from "#run/assessment.ts";
import type { WireError } from "#run/wire-error.ts";
import { assessmentOf } from "./assessments.ts";
import type { BoardStore } from "./board-store.ts";
import { BOARD_SCHEMES } from "./credit-board.ts";
import type { RecordedGroup } from "./recorded-group.ts";
import type { RunController } from "./run-controller.ts";
import type { GroupEntry, RunState } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import { newestGroup } from "./selectors.ts";
import type { ViewStore } from "./view-store.ts";

/** How the question about the group on the board stands. */
export interface AssessorState {
  /** Of the group that is being assessed. */
  readonly asking: string | null;
  /** Why a group cannot be. */
  readonly fault: { readonly groupId: string; readonly error: WireError } | null;
}

export interface Assessor extends Pick<StoreApi<AssessorState>, "getState" | "getInitialState" | "subscribe"> {
  /** Once more, after something cut it short. */
  again(): void;
}

export interface AssessorParts {
  readonly run: Pick<RunStore, "getState" | "subscribe">;
  readonly view: Pick<ViewStore, "getState" | "subscribe">;
  readonly board: Pick<BoardStore, "getState" | "subscribe">;
  readonly controller: Pick<RunController, "assess">;
  readonly recorded: RecordedGroup | null;
}

/** A group is looked at for so long before anything is asked about it, in milliseconds: who scrubs asks nothing. */
const PATIENCE = 200;
const AT_REST: ReadonlySet<RunState["status"]> = new Set(["paused", "finished"]);

export const sourceOf = (entry: GroupEntry, recorded: RecordedGroup | null): GroupSource =>
  recorded !== null && entry === recorded.entry ? { kind: "recording", recording: recorded.from } : { kind: "run" };

/** What is known of a group: what came with the recording, else what the run found out. */
export function knownOf(entry: GroupEntry, given: Assessment["truth"]["given"], findings: RunState["findings"], recorded: RecordedGroup | null): Assessment | null {
  if (entry.linked !== undefined) return entry.linked.assessments.find(({ truth }) => truth.given === given) ?? null;
  const found = assessmentOf(findings, entry.group.groupId, given);
  if (recorded === null || entry !== recorded.entry) return found;
  return found ?? recorded.assessments.find(({ truth }) => truth.given === given) ?? null;
}

/** Rows that were found out about a group, whatever truth was given: schemes do not depend on it, truth's own row does. */
export function knownSchemes(entry: GroupEntry, given: Assessment["truth"]["given"], findings: RunState["findings"], recorded: RecordedGroup | null): readonly SchemeCredit[] {
  const other = given === "history" ? "state" : "history";
  const rows = knownOf(entry, given, findings, recorded)?.schemes ?? [];
  const more = knownOf(entry, other, findings, recorded)?.schemes.filter(({ id }) => id !== "truth" && id !== "dial" && !rows.some((row) => row.id === id)) ?? [];
  return more.length === 0 ? rows : [...rows, ...more];
}

/** Asks the trainer about the group on the board whenever the run rests: truth in full, and every scheme the board shows. */
export function createAssessor({ run, view, board, controller, recorded }: AssessorParts): Assessor {
  const store = createStore<AssessorState>(() => ({ asking: null, fault: null }));
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked: string | null = null;
  /** Questions that were answered as well as they can be: a scheme may have no row. */
  const answered = new Set<string>();

  const wanted = (): { readonly entry: GroupEntry; readonly schemes: readonly CreditId[]; readonly key: string } | null => {
    const state = run.getState();
    const entry = view.getState().held ?? newestGroup(state);
    if (entry === null || entry.linked !== undefined) return null;
    const isRecorded = recorded !== null && entry === recorded.entry;
    if (!(AT_REST.has(state.status) || (isRecorded && state.status === "idle"))) return null;
    const { given, more, scheme } = board.getState();
    const rows = knownSchemes(entry, given, state.findings, recorded);
    const shown = new Set<CreditId>(["truth", ...BOARD_SCHEMES, ...more, ...(scheme === null || scheme === "dial" ? [] : [scheme])]);
    const missing = [...shown].filter((id) => !rows.some((row) => row.id === id));
    if (missing.length === 0 && knownOf(entry, given, state.findings, recorded)?.truth.form === "full") return null;
    if (store.getState().fault?.groupId === entry.group.groupId) return null;
    // What comes takes the place of what was known of this view: so all of it is asked for, but for what another view knows.
    const schemes = given === "history" ? [...shown] : [...new Set<CreditId>(["truth", ...missing])];
    const key = [state.run, entry.group.groupId, given, ...schemes].join(" ");
    return answered.has(key) ? null : { entry, schemes, key };
  };

  const ask = async (): Promise<void> => {
    const question = wanted();
    if (question === null || question.key === asked) return;
    const { entry, schemes, key } = question;
    const { groupId } = entry.group;
    asked = key;
    store.setState({ asking: groupId });
    const answer = await controller.assess({ source: sourceOf(entry, recorded), groupId, given: board.getState().given, schemes });
    if (asked !== key) return;
    asked = null;
    store.setState({ asking: null });
    if (answer.ok && answer.value !== null) answered.add(key);
    if (!answer.ok && answer.error.code !== "disposed") store.setState({ fault: { groupId, error: answer.error } });
  };
  const schedule = (): void => {
    const question = wanted();
    if (question === null && asked !== null) {
      asked = null;
      store.setState({ asking: null });
    }
    if (question === null || question.key === asked) return;
    clearTimeout(timer);
    timer = setTimeout(() => void ask(), PATIENCE);
  };

  run.subscribe((state, previous) => {
    if (state.run !== previous.run) store.setState({ fault: null });
    // A pause lets the update under way come to its end: then another group is the newest.
    if (state.status !== previous.status || state.groups !== previous.groups || state.update !== previous.update || state.run !== previous.run) schedule();
  });
  view.subscribe(schedule);
  board.subscribe(schedule);
  return { getState: store.getState, getInitialState: store.getInitialState, subscribe: store.subscribe, again: schedule };
}
