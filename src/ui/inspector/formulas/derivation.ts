import type { CreditConfig } from "#algorithms/credit/registry.ts";
import type { GroupTruth } from "#run/assessment.ts";
import type { GroupRecord } from "#run/run-event.ts";
import type { BoardRow } from "#store/credit-board.ts";
import type { TurnSelection } from "#store/view-store.ts";
import type { WholeGroup } from "#store/whole-group.ts";
import type { Term } from "./math.tsx";

/** Something that a turn, or its trajectory, was compared with. */
export interface ComparedPeer {
  /** Its place in the whole group. */
  readonly member: number;
  /** Null where it is the trajectory as a whole. */
  readonly turn: number | null;
  readonly value: number;
  readonly isSelf: boolean;
}

export interface Comparison {
  /** "all trajectories of the group" */
  readonly among: string;
  /** What the values are. */
  readonly of: string;
  readonly peers: readonly ComparedPeer[];
}

/** A scheme's formula with the numbers of one turn. */
export interface Derivation {
  readonly lines: readonly Term[];
  /** What the numbers on this page come to; null where the last step needs the whole batch. */
  readonly result: number | null;
  readonly note: string | null;
  readonly compared: Comparison | null;
}

export interface FormulaInput<C extends CreditConfig = CreditConfig> {
  readonly config: C;
  readonly group: GroupRecord;
  /** What the credit was paid within: a link may have brought only some of it. */
  readonly whole: WholeGroup;
  readonly at: TurnSelection;
  readonly row: BoardRow;
  readonly truth: GroupTruth | null;
}
