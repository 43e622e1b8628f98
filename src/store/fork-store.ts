import { createStore, type StoreApi } from "zustand/vanilla";
import type { CreditRow, ForkOptions, ForkRequest, ForkResult, GroupTruth, TurnPlace } from "#run/assessment.ts";
import type { GroupRecord, MemberRecord } from "#run/run-event.ts";
import type { WireError } from "#run/wire-error.ts";
import type { Assessor } from "./assessor.ts";
import { sourceOf } from "./assessor.ts";
import type { RecordedGroup } from "./recorded-group.ts";
import type { RunController } from "./run-controller.ts";
import type { GroupEntry } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import { boardEntry } from "./selectors.ts";
import type { TurnSelection, ViewStore } from "./view-store.ts";

export type ForkEdit = ForkRequest["edit"];

/** One other future, or many at once, from a turn of a trajectory. */
export interface Future {
  readonly id: number;
  readonly at: TurnSelection;
  readonly edit: ForkEdit;
  readonly given: GroupTruth["given"];
  readonly count: number;
  readonly outcome: { readonly kind: "running" } | { readonly kind: "done"; readonly result: ForkResult } | { readonly kind: "failed"; readonly error: WireError };
}

/** What might have been at a turn. */
export interface Choices {
  readonly at: TurnSelection;
  /** What the next future begins with; at first what was recorded. */
  readonly chosen: ForkEdit;
  /** Null while they are being found out. */
  readonly options: ForkOptions | null;
  readonly error: WireError | null;
}

export interface ForkState {
  /** Everything here is about this group, the one on the board. */
  readonly entry: GroupEntry | null;
  /** Null: nothing is being forked. */
  readonly open: Choices | null;
  /** In the order in which they were asked for. */
  readonly futures: readonly Future[];
  /** Members whose end was replaced, by index. */
  readonly rewound: ReadonlyMap<number, { readonly turn: number; readonly record: MemberRecord }>;
}

export interface ForkStore extends Pick<StoreApi<ForkState>, "getState" | "getInitialState" | "subscribe"> {
  /** Finds out what else could have been at a turn of the group on the board, which is held from then on. */
  open(entry: GroupEntry, at: TurnSelection): void;
  close(): void;
  choose(edit: ForkEdit): void;
  /** Keeps what was recorded, and runs so many futures beside it. */
  fork(count: number, given: GroupTruth["given"]): void;
  /** One other future in place of what was recorded. */
  rewind(): void;
  /** Brings back what was recorded. */
  restore(member: number): void;
  discard(id: number): void;
}

export interface ForkParts {
  readonly run: Pick<RunStore, "getState" | "subscribe">;
  readonly view: Pick<ViewStore, "getState" | "subscribe" | "select">;
  readonly controller: Pick<RunController, "forkOptions" | "fork">;
  readonly recorded: RecordedGroup | null;
  readonly assessor: Pick<Assessor, "again">;
}

const NOTHING: ForkState = { entry: null, open: null, futures: [], rewound: new Map() };
const CUT_SHORT: WireError = { code: "cut-short", message: "The run went on before this was done. Pause, then try again.", detail: {} };

/** What was forked is about one group: it goes off and comes back with it, and ends with the run. */
export function createForkStore({ run, view, controller, recorded, assessor }: ForkParts): ForkStore {
  const store = createStore<ForkState>(() => NOTHING);
  /** Of the group that was forked last, while another is on the board. */
  let away = NOTHING;
  let count = 0;
  /** The newest question about a turn: answers to others come too late. */
  let asked = 0;
  /** One at a time: the next question would cut the last one short. */
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = queue.then(work);
    queue = next.catch(() => undefined).then(assessor.again);
    return next;
  };
  const placeOf = (entry: GroupEntry, { member, turn }: TurnSelection): TurnPlace =>
    ({ source: sourceOf(entry, recorded), groupId: entry.group.groupId, member, turn });
  const shown = (): GroupEntry | null => boardEntry(view.getState().held, run.getState());
  const end = (id: number, outcome: Future["outcome"]): void => {
    const ended = ({ futures }: ForkState) => ({ futures: futures.map((future) => (future.id === id ? { ...future, outcome } : future)) });
    away = { ...away, ...ended(away) };
    store.setState(ended);
  };
  const moved = (): void => {
    const [state, entry] = [store.getState(), shown()];
    if (state.entry !== null && state.entry !== entry) {
      away = { ...state, open: null };
      store.setState(NOTHING);
    }
    if (entry !== null && away.entry === entry) {
      store.setState(away);
      away = NOTHING;
    }
  };
  view.subscribe(moved);
  run.subscribe((state, previous) => {
    if (state.run === previous.run) return moved();
    away = NOTHING;
    store.setState(NOTHING);
  });

  const play = async (many: number, given: GroupTruth["given"]): Promise<ForkResult | null> => {
    const { entry, open } = store.getState();
    if (entry === null || open === null) return null;
    const { at, chosen: edit } = open;
    count += 1;
    const id = count;
    store.setState(({ futures }) => ({ futures: [...futures, { id, at, edit, given, count: many, outcome: { kind: "running" } }] }));
    const answer = await inTurn(() => controller.fork({ ...placeOf(entry, at), edit, given, count: many }));
    if (!answer.ok) end(id, { kind: "failed", error: answer.error });
    else if (answer.value === null) end(id, { kind: "failed", error: CUT_SHORT });
    else end(id, { kind: "done", result: answer.value });
    return answer.ok ? answer.value : null;
  };

  return {
    getState: store.getState,
    getInitialState: store.getInitialState,
    subscribe: store.subscribe,
    open: (group, at) => {
      const isShown = shown()?.group.groupId === group.group.groupId;
      if (!isShown || view.getState().held === null) view.select(isShown ? (shown() ?? group) : group, at);
      // What is drawn may have a replaced end: what was recorded is forked.
      const entry = shown() ?? group;
      const { open: last } = store.getState();
      if (last !== null && last.error === null && last.at.member === at.member && last.at.turn === at.turn) return;
      const turn = entry.group.members[at.member]?.turns[at.turn];
      if (turn === undefined) return;
      asked += 1;
      const question = asked;
      away = NOTHING;
      store.setState({ entry, open: { at, chosen: { kind: "action", action: turn.action }, options: null, error: null } });
      void inTurn(() => controller.forkOptions(placeOf(entry, at))).then((answer) => {
        const { open } = store.getState();
        if (open === null || question !== asked) return;
        if (!answer.ok) store.setState({ open: { ...open, error: answer.error } });
        else store.setState({ open: { ...open, options: answer.value, error: answer.value === null ? CUT_SHORT : null } });
      });
    },
    close: () => store.setState({ open: null }),
    choose: (chosen) => store.setState(({ open }) => ({ open: open === null ? null : { ...open, chosen } })),
    fork: (many, given) => void play(many, given),
    rewind: () => {
      const { entry, open } = store.getState();
      if (entry === null || open === null) return;
      const { member, turn } = open.at;
      void play(1, "state").then((result) => {
        const record = result?.records[0];
        // Off the board, or of a run that is over.
        if (record === undefined || store.getState().entry !== entry || !store.getState().futures.some(({ outcome }) => outcome.kind === "done" && outcome.result === result)) return;
        store.setState(({ futures, rewound }) => ({
          rewound: new Map(rewound).set(member, { turn, record }),
          futures: futures.filter(({ outcome }) => outcome.kind !== "done" || outcome.result !== result),
        }));
      });
    },
    restore: (member) =>
      store.setState(({ rewound }) => {
        const left = new Map(rewound);
        left.delete(member);
        return { rewound: left };
      }),
    discard: (id) => store.setState(({ futures }) => ({ futures: futures.filter((future) => future.id !== id) })),
  };
}

/** The group as it would have been: credit and truth of a replaced end are not known. */
export function rewoundGroup(group: GroupRecord, rewound: ForkState["rewound"]): GroupRecord {
  if (rewound.size === 0) return group;
  const members = group.members.map((member, index) => rewound.get(index)?.record ?? member);
  const credits = group.credits.map((row): CreditRow => ({ ...row, credits: row.credits.map((list, index) => list.slice(0, rewound.get(index)?.turn ?? list.length)) }));
  return { ...group, members, credits };
}

export const rewoundTruth = (truth: GroupTruth | null, rewound: ForkState["rewound"]): GroupTruth | null =>
  truth === null || rewound.size === 0
    ? truth
    : { ...truth, members: truth.members.map((member, index) => (member === null ? null : { ...member, turns: member.turns.slice(0, rewound.get(index)?.turn ?? member.turns.length) })) };
