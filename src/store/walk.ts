import type { LinkStore } from "./link-store.ts";
import type { RunController } from "./run-controller.ts";
import type { GroupEntry } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import type { Scrubber } from "./scrubber.ts";
import { newestGroup } from "./selectors.ts";
import type { TurnSelection, ViewStore } from "./view-store.ts";

/** Goes through what is shown, a turn, a trajectory or an update at a time, from wherever the focus is; never starts over a finished run, whose board would be gone. */
export interface Walk {
  member(step: -1 | 1): void;
  turn(step: -1 | 1): void;
  /** Starts, pauses or goes on. */
  run(): void;
  /** The next update: the one that was computed, else a new one; the turn in the same place stays chosen. */
  forward(): void;
}

export interface WalkParts {
  readonly run: Pick<RunStore, "getState">;
  readonly view: ViewStore;
  readonly controller: Pick<RunController, "step" | "toggle">;
  readonly scrubber: Scrubber;
  readonly links: Pick<LinkStore, "look">;
}

export function createWalk({ run, view, controller, scrubber, links }: WalkParts): Walk {
  const move = (next: (entry: GroupEntry, selection: TurnSelection) => TurnSelection | null): void => {
    const { held, selection } = view.getState();
    const entry = held ?? newestGroup(run.getState());
    if (entry === null) return;
    const to = selection === null ? firstTurn(entry) : next(entry, selection);
    if (to !== null) view.select(entry, to);
  };
  return {
    member: (step) => move((entry, selection) => memberAfter(entry, selection, step)),
    turn: (step) => move((entry, selection) => turnAfter(entry, selection, step)),
    run: () => {
      if (run.getState().status !== "finished") controller.toggle();
    },
    forward: () => {
      const { at, selection } = view.getState();
      const state = run.getState();
      if (at !== null && at < state.update) return scrubber.by(1);
      if (state.status === "finished") return;
      // At the end of what was computed: what is being read moves along to the update that comes.
      if (state.status === "paused" && at !== null) links.look({ update: state.update + 1, selection });
      controller.step();
    },
  };
}

function firstTurn({ group }: GroupEntry): TurnSelection | null {
  const member = group.members.findIndex(({ turns }) => turns.length > 0);
  return member < 0 ? null : { member, turn: 0 };
}

/** Trajectories without turns are passed over. */
function memberAfter({ group: { members } }: GroupEntry, { member, turn }: TurnSelection, step: -1 | 1): TurnSelection | null {
  for (let index = member + step; index >= 0 && index < members.length; index += step) {
    const length = members[index]?.turns.length ?? 0;
    if (length > 0) return { member: index, turn: Math.min(turn, length - 1) };
  }
  return null;
}

function turnAfter({ group }: GroupEntry, { member, turn }: TurnSelection, step: -1 | 1): TurnSelection | null {
  const next = turn + step;
  return next >= 0 && next < (group.members[member]?.turns.length ?? 0) ? { member, turn: next } : null;
}
