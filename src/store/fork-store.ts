import { createStore, type StoreApi } from "zustand/vanilla";
import type { CreditRow, ForkOptions, ForkRequest, ForkResult, GroupTruth, TurnPlace } from "#run/assessment.ts";
import type { GroupRecord, MemberRecord } from "#run/run-event.ts";
import type { WireError } from "#run/wire-error.ts";
import type { Assessor } from "./assessor.ts";
import { sourceOf } from "./assessor.ts";
import type { RecordedGroup } from "./recorded-group.ts";
import type { RunController } from "./run-controller.ts";
import type { GroupEntry } from "./run-state.ts";
import type { TurnSelection } from "./view-store.ts";

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
  /** Everything here is about this group. */
  readonly entry: GroupEntry | null;
  /** Null: nothing is being forked. */
  readonly open: Choices | null;
  /** In the order in which they were asked for. */
  readonly futures: readonly Future[];
  /** Members whose end was replaced, by index. */
  readonly rewound: ReadonlyMap<number, { readonly turn: number; readonly record: MemberRecord }>;
}

export interface ForkStore extends Pick<StoreApi<ForkState>, "getState" | "getInitialState" | "subscribe"> {
  /** Finds out what else could have been at a turn. */
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
  readonly controller: Pick<RunController, "forkOptions" | "fork">;
  readonly recorded: RecordedGroup | null;
  readonly assessor: Pick<Assessor, "again">;
}

const NOTHING: ForkState = { entry: null, open: null, futures: [], rewound: new Map() };
const CUT_SHORT: WireError = { code: "cut-short", message: "The run went on before this was done. Pause, then try again.", detail: {} };

export function createForkStore({ controller, recorded, assessor }: ForkParts): ForkStore {
  const store = createStore<ForkState>(() => NOTHING);
  let count = 0;
  /** One at a time: the next question would cut the last one short. */
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = queue.then(work);
    queue = next.catch(() => undefined).then(assessor.again);
    return next;
  };
  const placeOf = (entry: GroupEntry, { member, turn }: TurnSelection): TurnPlace =>
    ({ source: sourceOf(entry, recorded), groupId: entry.group.groupId, member, turn });
  const isOpen = (entry: GroupEntry, at: TurnSelection): boolean => {
    const state = store.getState();
    return state.entry === entry && state.open?.at.member === at.member && state.open.at.turn === at.turn;
  };
  const end = (id: number, outcome: Future["outcome"]): void =>
    store.setState(({ futures }) => ({ futures: futures.map((future) => (future.id === id ? { ...future, outcome } : future)) }));

  const run = async (many: number, given: GroupTruth["given"]): Promise<ForkResult | null> => {
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
    open: (entry, at) => {
      if (isOpen(entry, at) && store.getState().open?.error === null) return;
      const turn = entry.group.members[at.member]?.turns[at.turn];
      if (turn === undefined) return;
      const isSame = store.getState().entry === entry;
      store.setState({ ...(isSame ? {} : NOTHING), entry, open: { at, chosen: { kind: "action", action: turn.action }, options: null, error: null } });
      void inTurn(() => controller.forkOptions(placeOf(entry, at))).then((answer) => {
        const { open } = store.getState();
        if (open === null || !isOpen(entry, at)) return;
        if (!answer.ok) store.setState({ open: { ...open, error: answer.error } });
        else store.setState({ open: { ...open, options: answer.value, error: answer.value === null ? CUT_SHORT : null } });
      });
    },
    close: () => store.setState({ open: null }),
    choose: (chosen) => store.setState(({ open }) => ({ open: open === null ? null : { ...open, chosen } })),
    fork: (many, given) => void run(many, given),
    rewind: () => {
      const { entry, open } = store.getState();
      if (entry === null || open === null) return;
      const { member, turn } = open.at;
      void run(1, "state").then((result) => {
        const record = result?.records[0];
        if (record === undefined || store.getState().entry !== entry) return;
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
