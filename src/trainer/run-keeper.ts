import type { Arithmetic } from "#core/policy.ts";
import type { PolicyState } from "#engine/policy-backend.ts";
import type { RunConfig } from "#run/run-config.ts";
import { endOfUpdate, type RunEvent } from "#run/run-event.ts";
import type { NetworkStates, RunSnapshot } from "#run/run-snapshot.ts";
import type { ArchiveFault, RunArchive } from "./run-archive.ts";
import { SnapshotShelf } from "./snapshot-shelf.ts";

/** Least time between two snapshots that leave the worker, in milliseconds. */
const KEEP_INTERVAL = 4_000;
/** Copying may take this share of the time. */
const COPY_SHARE = 0.02;
/** Groups that wait for room in storage; of more, the older half is halved. */
const GROUPS_WAITING = 600;

interface Source {
  readonly arithmetic: Arithmetic;
  exportState(): Promise<PolicyState>;
  exportNetworks?(): Promise<NetworkStates>;
}

export interface KeeperParts {
  readonly name: string;
  readonly config: RunConfig;
  readonly archive: RunArchive;
  readonly now: () => number;
  /** Storage takes nothing; the run goes on without it. Told once; null when all is stored again. */
  onFault(fault: ArchiveFault | null): void;
  /** The state after the update that has just ended can be gone back to. */
  onShelf(): void;
}

/** Copies a run's state as updates end, and hands a copy out every few seconds: to storage, and to the caller for the page. */
export class RunKeeper {
  readonly #parts: KeeperParts;
  #config: RunConfig;
  readonly #shelf = new SnapshotShelf();
  #totals: Pick<RunSnapshot, "update" | "trajectories" | "tokens"> = { update: 0, trajectories: 0, tokens: 0 };
  #copy: RunSnapshot | null = null;
  #handedOut: RunSnapshot | null = null;
  #unsaved: RunEvent[] = [];
  /** Up to the end of this update storage has what this run was. */
  #stored = 0;
  #saving: Promise<void> = Promise.resolve();
  #isSaving = false;
  #fault: ArchiveFault | null = null;
  #copied = Number.NEGATIVE_INFINITY;
  #kept = Number.NEGATIVE_INFINITY;
  /** What the last copy took, in milliseconds. */
  #cost = 0;

  constructor(parts: KeeperParts, from: RunSnapshot | null) {
    this.#parts = parts;
    this.#config = parts.config;
    // The first update is kept at once.
    if (from !== null) this.#kept = parts.now();
    this.rewind(from);
    this.#stored = from?.update ?? 0;
    if (from !== null) this.#shelf.add(from);
  }

  /** The newest snapshot that left the worker: where a run goes on after a loss. */
  get last(): RunSnapshot | null {
    return this.#handedOut;
  }

  /** Of which the state is kept, ascending. */
  get updates(): readonly number[] {
    return this.#shelf.updates;
  }

  /** What the run was right after an update, as far as that is still kept. */
  at(update: number): RunSnapshot | null {
    return this.#shelf.at(update);
  }

  /** Back to an update whose state is kept, in storage as well, to go on from there under such settings. */
  async goBack(to: RunSnapshot, config: RunConfig): Promise<void> {
    await this.#saving;
    this.#config = config;
    this.rewind(to);
    if (this.#isLost) return;
    this.#saving = this.#save(to);
    await this.#saving;
  }

  /** Back to a snapshot that was handed out, or to one that is kept. */
  rewind(to: RunSnapshot | null): void {
    this.#shelf.rewind(to?.update ?? 0);
    this.#totals = to ?? { update: 0, trajectories: 0, tokens: 0 };
    this.#copy = to;
    this.#handedOut = to;
    this.#stored = Math.min(this.#stored, to?.update ?? 0);
    this.#unsaved = this.#unsaved.slice(0, to === null ? 0 : endOfUpdate(this.#unsaved, to.update));
  }

  collect(event: RunEvent): void {
    if (!this.#isLost) this.#unsaved.push(event);
    if (event.type !== "update") return;
    const { trajectories, tokens } = this.#totals;
    this.#totals = { update: event.update, trajectories: trajectories + event.metrics.trajectories, tokens: tokens + event.metrics.tokens };
  }

  /** To be called right after an `update` event, the policy at rest. @returns a snapshot when it is time for one, or urgent */
  async atUpdate(source: Source, urgent: boolean): Promise<RunSnapshot | null> {
    const { now, name } = this.#parts;
    const since = now();
    const isDue = urgent || since - this.#kept >= KEEP_INTERVAL;
    // The last update of a run may have been copied already.
    if (this.#copy?.update === this.#totals.update) return isDue ? this.handOut() : null;
    if (!isDue && (since - this.#copied) * COPY_SHARE < this.#cost) return null;
    const policy = await source.exportState();
    const networks = await source.exportNetworks?.();
    this.#copied = now();
    this.#cost = this.#copied - since;
    this.#copy = { name, config: this.#config, arithmetic: source.arithmetic, ...this.#totals, policy, ...(networks ? { networks } : {}) };
    if (this.#shelf.add(this.#copy)) this.#parts.onShelf();
    return isDue ? this.handOut() : null;
  }

  /** The newest copy, if it is of the last update, has not left yet and can be gone on from. */
  handOut(): RunSnapshot | null {
    const snapshot = this.#copy;
    if (snapshot === null || snapshot === this.#handedOut || snapshot.update !== this.#totals.update || !snapshot.policy.weights.every(Number.isFinite)) return null;
    this.#handedOut = snapshot;
    this.#kept = this.#parts.now();
    if (!this.#isSaving && !this.#isLost) this.#saving = this.#save(snapshot);
    return snapshot;
  }

  /** Resolves when storage has what was handed to it. */
  settled(): Promise<void> {
    return this.#saving;
  }

  /** What storage had no room for, once more. */
  async retry(): Promise<void> {
    await this.#saving;
    const last = this.#handedOut;
    if (this.#fault === null || this.#isLost || last === null) return;
    this.#saving = this.#save(last);
    await this.#saving;
  }

  /** Nothing comes any more: storage has all of the run, and leaves it alone. */
  async conclude(): Promise<void> {
    await this.#saving;
    const last = this.#handedOut;
    if (this.#isLost || last === null) return;
    // A save was under way when the last state was handed out.
    if (endOfUpdate(this.#unsaved, last.update) > 0) await this.#save(last);
    if (this.#fault !== null) return;
    const isWhole = last.update === this.#totals.update;
    const fault = await this.#parts.archive.rest(last.name, isWhole ? this.#unsaved : []);
    if (fault === null) this.#unsaved = [];
    else this.#takeFault(fault);
  }

  /** Storage is of no use any more, or the run another page's. */
  get #isLost(): boolean {
    return this.#fault?.reason === "unavailable";
  }

  async #save(snapshot: RunSnapshot): Promise<void> {
    // Events after the snapshot's update wait for the next one.
    const events = this.#unsaved.splice(0, endOfUpdate(this.#unsaved, snapshot.update));
    this.#isSaving = true;
    const fault = await this.#parts.archive.keep(snapshot, events, this.#stored, this.#config);
    this.#isSaving = false;
    if (fault === null) {
      this.#stored = snapshot.update;
      const wasFull = this.#fault !== null;
      this.#fault = null;
      if (wasFull) this.#parts.onFault(null);
      return;
    }
    // Nothing of it was stored: it waits for room.
    this.#unsaved = thinned([...events, ...this.#unsaved]);
    this.#takeFault(fault);
  }

  #takeFault(fault: ArchiveFault): void {
    const isNew = this.#fault?.reason !== fault.reason;
    this.#fault = fault;
    if (this.#isLost) this.#unsaved = [];
    if (isNew) this.#parts.onFault(fault);
  }
}

/** Every second group of the older half goes where too many wait. */
function thinned(events: RunEvent[]): RunEvent[] {
  const groups = events.filter(({ type }) => type === "group").length;
  if (groups <= GROUPS_WAITING) return events;
  let seen = 0;
  return events.filter(({ type }) => type !== "group" || (seen += 1) > groups / 2 || seen % 2 === 0);
}
