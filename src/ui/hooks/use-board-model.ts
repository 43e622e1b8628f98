import { useMemo } from "react";
import { useStore } from "zustand";
import { useShallow } from "zustand/shallow";
import type { CreditConfig } from "#algorithms/credit/registry.ts";
import type { Assessment, GroupTruth } from "#run/assessment.ts";
import { knownOf, knownSchemes } from "#store/assessor.ts";
import { boardRows, boardScale, defaultConfig, dialRow, mismatchesOf, rowOf, type BoardRow, type BoardScale, type Mismatches } from "#store/credit-board.ts";
import { rewoundGroup, rewoundTruth, type ForkState } from "#store/fork-store.ts";
import type { GroupEntry } from "#store/run-state.ts";
import { whyNoTruth } from "../board/truth-label.ts";
import { useBoard, useRun, useWorkbench } from "../workbench-context.ts";

/** One group as the board draws it. */
export interface BoardModel {
  readonly entry: GroupEntry;
  readonly truth: GroupTruth | null;
  /** Whether truth has its place on the board, known or not: nothing moves when it comes. */
  readonly isTruthShown: boolean;
  readonly rows: readonly BoardRow[];
  /** The scheme beside truth; null where that is truth itself. */
  readonly compared: CreditConfig | null;
  /** Its row; null where it is not known (yet). */
  readonly shown: BoardRow | null;
  readonly scale: BoardScale;
  readonly mismatches: Mismatches;
  readonly assessment: Assessment | null;
  /** Why truth is not known and cannot come any more, as a sentence; null where it is known, or may come. */
  readonly noTruth: string | null;
}

const NOBODY: ForkState["rewound"] = new Map();

export function useBoardModel(recordedEntry: GroupEntry): BoardModel {
  const { assessor, forks, recorded } = useWorkbench();
  const { scheme, given, share, scale, isTruthShown } = useBoard(useShallow((board) => board));
  const findings = useRun("board", (run) => run.findings);
  const fault = useStore(assessor, (state) => state.fault);
  const gone = useRun("board", ({ update }) => whyNoTruth(recordedEntry, fault, update));
  const assessment = knownOf(recordedEntry, given, findings, recorded);
  const schemes = useMemo(() => knownSchemes(recordedEntry, given, findings, recorded), [recordedEntry, given, findings, recorded]);
  const rewound = useStore(forks, (state) => (state.entry === recordedEntry ? state.rewound : NOBODY));
  return useMemo(() => {
    const group = rewoundGroup(recordedEntry.group, rewound);
    const entry = group === recordedEntry.group ? recordedEntry : { ...recordedEntry, group };
    const truth = rewoundTruth(assessment?.truth ?? null, rewound);
    const known = boardRows(group, schemes);
    const dial = scheme === "dial" ? dialRow(entry, truth, share) : null;
    const rows = dial === null ? known : [...known.filter(({ id }) => id !== "dial"), dial];
    const isTruth = scheme === "truth";
    const id = scheme ?? rows[0]?.id ?? "flat";
    const shown = isTruth ? null : rowOf(rows, id);
    return {
      entry, truth, rows, shown, assessment,
      noTruth: truth === null ? gone : null,
      compared: isTruth ? null : (shown?.config ?? defaultConfig(id)),
      isTruthShown: isTruthShown || isTruth,
      scale: boardScale(rows, truth, scale),
      mismatches: mismatchesOf(truth, shown?.credits ?? []),
    };
  }, [recordedEntry, rewound, assessment, gone, schemes, scheme, share, scale, isTruthShown]);
}
