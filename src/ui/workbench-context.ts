import { createContext, use } from "react";
import { useStore } from "zustand";
import type { RunState } from "#store/run-state.ts";
import type { ViewState } from "#store/view-store.ts";
import type { BoardState } from "#store/board-store.ts";
import type { DraftState } from "#store/draft-store.ts";
import type { Workbench } from "#store/workbench.ts";

export const WorkbenchContext = createContext<Workbench | null>(null);

export function useWorkbench(): Workbench {
  const workbench = use(WorkbenchContext);
  if (workbench === null) throw new Error("a panel must stand inside a WorkbenchContext");
  return workbench;
}

/** The run as it may be drawn by this kind of panel. */
export const useRun = <T>(pace: keyof Workbench["run"], select: (state: RunState) => T): T => useStore(useWorkbench().run[pace], select);

export const useView = <T>(select: (state: ViewState) => T): T => useStore(useWorkbench().view, select);

export const useDraft = <T>(select: (state: DraftState) => T): T => useStore(useWorkbench().draft, select);

export const useBoard = <T>(select: (state: BoardState) => T): T => useStore(useWorkbench().board, select);
