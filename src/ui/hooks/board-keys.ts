import { knownOf, knownSchemes } from "#store/assessor.ts";
import { BOARD_SCHEMES, boardRows, dialRow, mismatchesOf, nextMismatch, rowOf } from "#store/credit-board.ts";
import type { GroupEntry } from "#store/run-state.ts";
import { boardEntry } from "#store/selectors.ts";
import type { TurnSelection } from "#store/view-store.ts";
import type { Workbench } from "#store/workbench.ts";
import { focusTurn } from "./regions.ts";

/** How often a branch is run to see its chance of success. */
const BRANCHES = 64;

/** Opens the fork of a turn on the board. */
export function forkHere({ board, view, forks }: Workbench, entry: GroupEntry, at: TurnSelection): void {
  // The trainer knows nothing of what came in a link.
  if (entry.linked !== undefined) return;
  board.lay("focus");
  view.select(entry, at);
  view.show("credit");
  forks.open(entry, at);
}

/** Many futures of a turn: of what is chosen in its fork, else of what was done. */
export function branchHere(workbench: Workbench, entry: GroupEntry, at: TurnSelection): void {
  forkHere(workbench, entry, at);
  workbench.forks.fork(BRANCHES, workbench.board.getState().given);
}

function toNextMismatch({ board, view, run, recorded }: Workbench, entry: GroupEntry): void {
  const { scheme, given, share } = board.getState();
  const { findings } = run.board.getState();
  const rows = boardRows(entry.group, knownSchemes(entry, given, findings, recorded));
  const truth = knownOf(entry, given, findings, recorded)?.truth ?? null;
  const row = scheme === "dial" ? dialRow(entry, truth, share) : rowOf(rows, scheme ?? rows[0]?.id ?? null);
  const next = row === null ? null : nextMismatch(mismatchesOf(truth, row.credits), view.getState().selection);
  if (next === null) return;
  view.select(entry, next);
  focusTurn(next);
}

/** What a key does on the board; null for a key that is none of the board's. */
export function boardCommand(key: string, workbench: Workbench): (() => void) | null {
  const { board, view, run } = workbench;
  const { held, selection } = view.getState();
  const entry = boardEntry(held, run.board.getState());
  switch (key) {
    case "t":
      return board.toggleTruth;
    case "g":
      return () => board.lay(board.getState().layout === "group" ? "focus" : "group");
    case "m":
      return entry === null ? null : () => toNextMismatch(workbench, entry);
    case "f":
      return entry === null || selection === null ? null : () => forkHere(workbench, entry, selection);
    case "b":
      return entry === null || selection === null ? null : () => branchHere(workbench, entry, selection);
    default: {
      const scheme = (["truth", ...BOARD_SCHEMES] as const)[Number(key) - 1];
      return /^[1-6]$/.test(key) && scheme !== undefined ? () => board.compare(scheme) : null;
    }
  }
}
