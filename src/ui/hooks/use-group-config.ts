import type { RunConfig } from "#run/run-config.ts";
import type { GroupEntry } from "#store/run-state.ts";
import { useDraft, useRun, useWorkbench } from "../workbench-context.ts";

/** The settings that a group on the board was made with. */
export function useGroupConfig(entry: GroupEntry): RunConfig {
  const { recorded } = useWorkbench();
  const running = useRun("board", (run) => run.config);
  const edited = useDraft((draft) => draft.config);
  return entry.linked?.config ?? (entry === recorded?.entry ? recorded.config : (running ?? edited));
}
