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
  /** Storage gave up; the run goes on without it. Told once. */
  onFault(fault: ArchiveFault): void;
  /** The state after the update that has just ended can be gone back to. */
  onShelf(): void;
}

/** Copies a run's state as updates end, and hands a copy out every few seconds: to storage, and to the caller for the page. */
export class RunKeeper {
  readonly #parts: KeeperParts;
  readonly #shelf = new SnapshotShelf();
  #totals: Pick<RunSnapshot, "update" | "trajectories" | "tokens"> = { update: 0, trajectories: 0, tokens: 0 };
  #copy: RunSnapshot | null = null;
  #handedOut: RunSnapshot | null = null;
  #unsaved: RunEvent[] = [];
  #saving: Promise<void> = Promise.resolve();
  #isSaving = false;
  #fault: ArchiveFault | null = null;
  #copied = Number.NEGATIVE_INFINITY;
  #kept = Number.NEGATIVE_INFINITY;
  /** What the last copy took, in milliseconds. */
  #cost = 0;

  constructor(parts: KeeperParts, from: RunSnapshot | null) {
    this.#parts = parts;
    // The first update is kept at once.
    if (from !== null) this.#kept = parts.now();
    this.rewind(from);
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

  /** Back to an update whose state is kept, in storage as well. */
  async goBack(to: RunSnapshot): Promise<void> {
    await this.#saving;
    const fault = this.#fault === null ? await this.#parts.archive.rewind(to.name, to.update) : null;
    if (fault !== null) this.#giveUp(fault);
    this.rewind(to);
    if (this.#fault === null) this.#saving = this.#save(to);
  }

  /** Back to a snapshot that was handed out, or to one that is kept. */
  rewind(to: RunSnapshot | null): void {
    this.#shelf.rewind(to?.update ?? 0);
    this.#totals = to ?? { update: 0, trajectories: 0, tokens: 0 };
    this.#copy = to;
    this.#handedOut = to;
    this.#unsaved = this.#unsaved.slice(0, to === null ? 0 : endOfUpdate(this.#unsaved, to.update));
  }

  collect(event: RunEvent): void {
    if (this.#fault === null) this.#unsaved.push(event);
    if (event.type !== "update") return;
    const { trajectories, tokens } = this.#totals;
    this.#totals = { update: event.update, trajectories: trajectories + event.metrics.trajectories, tokens: tokens + event.metrics.tokens };
  }

  /** To be called right after an `update` event, the policy at rest. @returns a snapshot when it is time for one, or urgent */
  async atUpdate(source: Source, urgent: boolean): Promise<RunSnapshot | null> {
    const { now, name, config } = this.#parts;
    const since = now();
    const isDue = urgent || since - this.#kept >= KEEP_INTERVAL;
    if (!isDue && (since - this.#copied) * COPY_SHARE < this.#cost) return null;
    const policy = await source.exportState();
    const networks = await source.exportNetworks?.();
    this.#copied = now();
    this.#cost = this.#copied - since;
    this.#copy = { name, config, arithmetic: source.arithmetic, ...this.#totals, policy, ...(networks ? { networks } : {}) };
    if (this.#shelf.add(this.#copy)) this.#parts.onShelf();
    return isDue ? this.handOut() : null;
  }

  /** The newest copy, if it is of the last update, has not left yet and can be gone on from. */
  handOut(): RunSnapshot | null {
    const snapshot = this.#copy;
    if (snapshot === null || snapshot === this.#handedOut || snapshot.update !== this.#totals.update || !snapshot.policy.weights.every(Number.isFinite)) return null;
    this.#handedOut = snapshot;
    this.#kept = this.#parts.now();
    if (!this.#isSaving && this.#fault === null) this.#saving = this.#save(snapshot);
    return snapshot;
  }

  /** Resolves when storage has what was handed to it. */
  settled(): Promise<void> {
    return this.#saving;
  }

  async #save(snapshot: RunSnapshot): Promise<void> {
    // Events after the snapshot's update wait for the next one.
    const events = this.#unsaved.splice(0, endOfUpdate(this.#unsaved, snapshot.update));
    this.#isSaving = true;
    const fault = await this.#parts.archive.keep(snapshot, events);
    this.#isSaving = false;
    if (fault !== null) this.#giveUp(fault);
  }

  #giveUp(fault: ArchiveFault): void {
    this.#fault = fault;
    this.#unsaved = [];
    this.#parts.onFault(fault);
  }}
