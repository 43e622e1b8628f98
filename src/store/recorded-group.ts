import { canonical } from "#core/json.ts";
import type { Assessment, RecordedFrom } from "#run/assessment.ts";
import type { Recording } from "#run/recording.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import type { GroupRecord, MemberRecord } from "#run/run-event.ts";
import type { DraftStore } from "./draft-store.ts";
import type { GroupEntry } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import { NOTHING_FIRST, type FirstView, type TurnSelection, type ViewStore } from "./view-store.ts";

const actionAt = ({ turns }: MemberRecord, turn: number): string | undefined => {
  const action = turns[turn]?.action;
  return action === undefined ? undefined : canonical([action.kind, action.kind === "tool" ? action.name : ""]);
};

/** Where the longest attempt that failed first left the way of all that worked; null where nothing failed or nothing worked. */
export function tellingTurn({ members }: GroupRecord): TurnSelection | null {
  const worked = members.filter(({ success }) => success);
  const failed = members.filter(({ success, turns }) => !success && turns.length > 0);
  const longest = failed.reduce<MemberRecord | null>((best, member) => (best === null || member.turns.length > best.turns.length ? member : best), null);
  if (longest === null || worked.length === 0) return null;
  const turn = longest.turns.findIndex((_, index) => worked.every((other) => actionAt(other, index) !== actionAt(longest, index)));
  return { member: members.indexOf(longest), turn: Math.max(0, turn) };
}

export interface RecordedGroup {
  readonly entry: GroupEntry;
  /** What it was recorded with. */
  readonly config: RunConfig;
  /** Given the history, then given the hidden state. */
  readonly assessments: readonly Assessment[];
  /** What the trainer can play it again from. */
  readonly from: RecordedFrom;
}

export function recordedGroup({ preset, seed, task, attempts, group, assessments }: Recording): RecordedGroup {
  const config = Object.values(PRESETS).find((known) => known.preset === preset) ?? PRESETS["refund-desk"];
  return { entry: { update: 0, group }, config, assessments, from: { preset, seed, task, attempts } };
}

/** What is looked at before anything ran under these settings: beside those of another environment the recorded group would tell another story. */
export const firstView = (recorded: RecordedGroup | null, { environment }: RunConfig): FirstView =>
  recorded === null || recorded.config.environment.id !== environment.id
    ? NOTHING_FIRST
    : { held: recorded.entry, selection: tellingTurn(recorded.entry.group) };

export interface FirstViewParts {
  readonly draft: Pick<DraftStore, "subscribe">;
  readonly view: Pick<ViewStore, "getState" | "home">;
  readonly run: Pick<RunStore, "getState">;
  readonly recorded: RecordedGroup | null;
}

/** Takes the recorded group off the board as another environment is set, and back onto it; nothing that ran or came in a link is touched. */
export function keepFirstViewTrue({ draft, view, run, recorded }: FirstViewParts): void {
  draft.subscribe(({ config }, { config: before }) => {
    if (config.environment.id === before.environment.id || run.getState().status !== "idle") return;
    const { held } = view.getState();
    if (held === null || held === recorded?.entry) view.home();
  });
}
