import type { RunBatch } from "#trainer/run-batch.ts";
import type { SessionEvent } from "./run-state.ts";

/** How the run stands since a batch, as the store hears it. */
export function phaseEvents({ phase }: RunBatch): readonly SessionEvent[] {
  if (phase === "paused") return [{ type: "session-paused" }];
  if (phase === "recovering") return [{ type: "session-recovering" }];
  if (phase === "finished") return [{ type: "session-over" }];
  return phase === "running" ? [{ type: "session-running" }] : [];
}
