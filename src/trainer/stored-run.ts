import { PolicyError } from "#core/errors.ts";
import type { RunEvent } from "#run/run-event.ts";
import type { RunSnapshot } from "#run/run-snapshot.ts";
import { phaseOf, shelfNote, type ActiveRun } from "./active-run.ts";
import type { ArchivedRun, RunArchive } from "./run-archive.ts";
import type { ResumeFrom, RunBatch, SessionNote } from "./run-batch.ts";
import { RunKeeper, type KeeperParts } from "./run-keeper.ts";
import type { OpenRun } from "./runtime.ts";

/** Old events are handed over in portions that a page takes without a pause. */
const PORTION = 40;

/** What is to be told anew before a run goes on: out of storage, or out of a file. @throws PolicyError where storage has lost it */
export async function storedRun(archive: RunArchive, resume: Extract<ResumeFrom, { kind: "kept" | "file" }>): Promise<ArchivedRun> {
  if (resume.kind === "file") return resume.run;
  const kept = await archive.load(resume.name);
  if (kept === null) throw new PolicyError("the run that was kept cannot be read any more: start it again");
  return kept;
}

export const replayed = (run: ActiveRun, events: readonly RunEvent[] = []): readonly RunBatch[] =>
  Array.from({ length: Math.ceil(events.length / PORTION) }, (_, part) => ({
    run: run.number, phase: phaseOf(run), events: events.slice(part * PORTION, (part + 1) * PORTION), notes: [],
  }));

/** A keeper that says by notes what it could not store and what can be gone back to. */
export function keeperOf(parts: Omit<KeeperParts, "onFault" | "onShelf">, from: RunSnapshot | null, note: (told: SessionNote) => void): RunKeeper {
  const keeper = new RunKeeper({ ...parts, onFault: (fault) => note({ type: "storage", fault }), onShelf: () => note(shelfNote(keeper)) }, from);
  return keeper;
}

/** Where a run's state is copied from. */
export const sourceOf = (open: OpenRun) => ({
  arithmetic: open.backend.arithmetic, exportState: () => open.exportState(), ...(open.exportNetworks ? { exportNetworks: open.exportNetworks } : {}),
});

/** @throws PolicyError that names the updates whose state is kept. */
export function shelved(keeper: RunKeeper | undefined, update: number): { readonly keeper: RunKeeper; readonly snapshot: RunSnapshot } {
  const snapshot = keeper?.at(update) ?? null;
  if (keeper === undefined || snapshot === null)
    throw new PolicyError(`the state after update ${update} is not kept${keeper === undefined ? ": no run is open" : `; kept are ${keeper.updates.join(", ") || "none"}`}`);
  return { keeper, snapshot };
}
