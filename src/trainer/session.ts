import { DeviceLostError, PolicyError } from "#core/errors.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import type { KeptRun, RunSnapshot } from "#run/run-snapshot.ts";
import { ENDINGS, failure, isPaused, isStopping, phaseOf, shelfNote, type ActiveRun } from "./active-run.ts";
import { checkpointFile, type CheckpointFile } from "./checkpoint-file.ts";
import { DeviceRecovery } from "./device-recovery.ts";
import { HIDDEN_MINUTES, HiddenBudget } from "./hidden-budget.ts";
import { Questions } from "./questions.ts";
import type { RunArchive } from "./run-archive.ts";
import type { RunBatch, SessionNote, StartRequest } from "./run-batch.ts";
import { RunKeeper } from "./run-keeper.ts";
import { RunStopped, type BackendChoice, type BackendReport, type OpenRun, type Practice, type TrainRuntime } from "./runtime.ts";

export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Resolves after messages that are waiting have been handled. */
  breathe(): Promise<void>;
  /** @returns what calls it off */
  after(milliseconds: number, action: () => void): () => void;
}

/** Least time between two batches, in milliseconds; a pause or an ending flushes at once. */
const BATCH_INTERVAL = 50;
/** Old events are handed over in portions that a page takes without a pause. */
const REPLAY_PORTION = 40;

/** Drives one run at a time: start, pause, resume, exactly one update, stop; keeps it safe; publishes its events in batches. */
export class TrainerSession {
  readonly #runtime: TrainRuntime;
  readonly #archive: RunArchive;
  readonly #publish: (batch: RunBatch) => void;
  readonly #clock: Clock;
  #active: ActiveRun | null = null;
  #lastFlush = Number.NEGATIVE_INFINITY;
  /** Work that waits for a moment at which the weights are at rest. */
  readonly #atRest: (() => Promise<void>)[] = [];
  /** Least milliseconds from one update to the next. */
  #pace = 0;
  readonly #devices = new DeviceRecovery();
  readonly #hidden: HiddenBudget;
  /** About what was sampled; answered while the run is at rest. */
  readonly questions: Questions;

  constructor(runtime: TrainRuntime, archive: RunArchive, publish: (batch: RunBatch) => void, clock: Clock) {
    this.#runtime = runtime;
    this.#archive = archive;
    this.#publish = publish;
    this.#clock = clock;
    this.#hidden = new HiddenBudget(() => clock.now());
    this.questions = new Questions({
      runtime,
      active: () => this.#active,
      note: (run, note) => this.#note(run, note),
      now: () => clock.now(),
      breathe: async () => {
        await clock.breathe();
        await this.#workAtRest();
      },
    });
  }

  async prepare(config: RunConfig, choice: BackendChoice): Promise<BackendReport> {
    return this.#devices.told(await this.#runtime.prepare(config, this.#devices.allowed(choice)));
  }

  /** The newest run in storage that can be gone on with. */
  kept(): Promise<KeptRun | null> {
    return this.#archive.newest();
  }

  forget(name: string): Promise<void> {
    return this.#archive.forget(name);
  }

  /** Stops what runs, opens the new run and answers as soon as it is open; its events follow in batches. */
  async start({ run: number, config, backend, paused, resume }: StartRequest): Promise<BackendReport> {
    const kept = resume?.kind === "kept" ? await this.#archive.load(resume.name) : null;
    if (resume?.kind === "kept" && kept === null) throw new PolicyError("the run that was kept cannot be read any more: start it again");
    const back = resume?.kind === "shelf" ? this.#shelved(resume.update) : null;
    const from = resume?.kind === "snapshot" ? resume.snapshot : (kept?.snapshot ?? back?.snapshot ?? null);
    await this.#end(from?.name ?? null);
    void this.questions.leave();
    const name = from === null ? this.#archive.open() : from.name;
    if (from !== null) this.#archive.claim(name);
    const keeper = back?.keeper ?? this.#keeperOf(name, config, from);
    const run: ActiveRun = {
      number, config, keeper, name, mode: paused ? "paused" : "running", isRecovering: false, buffer: [], notes: [], lastUpdate: from?.update ?? 0,
      isBetween: false, updateBegan: this.#clock.now(), ending: null, open: null, wake: () => {}, done: Promise.resolve(),
    };
    this.#active = run;
    this.#lastFlush = Number.NEGATIVE_INFINITY;
    if (kept !== null) this.#replay(run, kept.events);
    if (back !== null) await keeper.goBack(back.snapshot);
    if (from !== null) {
      run.notes.push(shelfNote(keeper));
      this.#note(run, { type: "kept", snapshot: from });
    }
    const open = await this.#runtime.open(config, this.#devices.allowed(backend), () => this.#gate(run), from, this.#practised(run));
    run.open = open;
    if (this.#active !== run) {
      open.dispose();
      throw new RunStopped();
    }
    run.done = this.#drive(run, open);
    return this.#devices.told(open.backend);
  }

  /** Notes go to the run that is open by then: a keeper outlives the run that goes back. */
  #keeperOf(name: string, config: RunConfig, from: RunSnapshot | null): RunKeeper {
    const noted = (note: SessionNote): void => void this.#active?.notes.push(note);
    const onShelf = (): void => noted(shelfNote(keeper));
    const keeper = new RunKeeper({ name, config, archive: this.#archive, now: () => this.#clock.now(), onFault: (fault) => noted({ type: "storage", fault }), onShelf }, from);
    return keeper;
  }

  /** @throws PolicyError that names the updates whose state is kept. */
  #shelved(update: number): { readonly keeper: RunKeeper; readonly snapshot: RunSnapshot } {
    const keeper = this.#active?.keeper;
    const snapshot = keeper?.at(update) ?? null;
    if (keeper === undefined || snapshot === null)
      throw new PolicyError(`the state after update ${update} is not kept${keeper === undefined ? ": no run is open" : `; kept are ${keeper.updates.join(", ") || "none"}`}`);
    return { keeper, snapshot };
  }

  pause(): void {
    const run = this.#active;
    if (run === null || run.ending !== null || run.mode === "stopping") return;
    run.mode = "paused";
    this.#handOut(run);
    this.#flush(run);
  }

  resume(): void {
    this.#hidden.renew();
    this.#go("running");
  }

  /** Runs on to the end of the update that is under way, or of the next one. */
  step(): void {
    this.#go("stepping");
  }

  /** At most one update in so many milliseconds; 0 is as fast as can be. */
  setPace(milliseconds: number): void {
    this.#pace = milliseconds;
    this.#active?.wake();
  }

  /** A page that nobody sees is worked for only so long, and its run is put into safety at once. */
  setHidden(isHidden: boolean): void {
    this.#hidden.setHidden(isHidden);
    if (isHidden && this.#active !== null && this.#active.ending === null) this.#handOut(this.#active);
  }

  /** Resolves when the run has let go of what it held; storage forgets it. */
  stop(): Promise<void> {
    return this.#end(null);
  }

  /** The weights after an update, as a safetensors file. @throws PolicyError that names the updates whose state is kept. */
  checkpoint(update: number): CheckpointFile {
    const { snapshot } = this.#shelved(update);
    const model = this.#active?.open?.model;
    if (model === undefined) throw new PolicyError("the run is being opened: ask again in a moment");
    return checkpointFile(snapshot, model);
  }

  /** @throws PolicyError when no run is open. */
  async snapshot(): Promise<Float32Array<ArrayBuffer>> {
    const run = this.#active;
    const open = run?.open ?? null;
    if (run === null || open === null) throw new PolicyError("there is no run to take weights from");
    if (run.ending !== null) return open.snapshot();
    return new Promise((resolve, reject) => {
      this.#atRest.push(() => open.snapshot().then(resolve, reject));
      run.wake();
    });
  }

  /** @param going the name of the run that goes on, if it is this one */
  async #end(going: string | null): Promise<void> {
    const run = this.#active;
    if (run === null) return;
    this.#active = null;
    run.mode = "stopping";
    run.wake();
    await Promise.all([run.done, this.questions.cancel()]);
    run.open?.dispose();
    await run.keeper.settled();
    if (run.name !== going) await this.#archive.forget(run.name);
  }

  #go(mode: "running" | "stepping"): void {
    const run = this.#active;
    if (run === null || run.ending !== null || run.mode === "stopping") return;
    run.mode = mode;
    void this.questions.cancel();
    this.#flush(run);
    run.wake();
  }

  async #gate(run: ActiveRun): Promise<void> {
    await this.#clock.breathe();
    if (this.#hidden.isSpent(run.mode === "running")) {
      run.notes.push({ type: "paused-hidden", minutes: HIDDEN_MINUTES });
      this.pause();
    }
    this.#flushWhenDue(run);
    for (;;) {
      await this.#workAtRest();
      if (run.mode === "stopping") throw new RunStopped();
      const wait = run.mode === "paused" ? Number.POSITIVE_INFINITY : run.mode === "running" && run.isBetween ? run.updateBegan + this.#pace - this.#clock.now() : 0;
      if (wait <= 0) return;
      if (run.buffer.length > 0) this.#flush(run);
      if (isPaused(run) && await this.questions.work()) continue;
      await this.#sleep(run, wait);
    }
  }

  async #workAtRest(): Promise<void> {
    for (let task = this.#atRest.shift(); task !== undefined; task = this.#atRest.shift()) await task();
  }

  /** Until it is woken by a command, at most so many milliseconds. */
  async #sleep(run: ActiveRun, milliseconds: number): Promise<void> {
    let callOff = (): void => {};
    await new Promise<void>((resolve) => {
      run.wake = resolve;
      if (Number.isFinite(milliseconds)) callOff = this.#clock.after(milliseconds, resolve);
    });
    callOff();
  }

  async #drive(run: ActiveRun, opened: OpenRun): Promise<void> {
    for (let open: OpenRun | null = opened; open !== null; ) open = await this.#follow(run, open);
    await this.#workAtRest();
    this.#flush(run);
    if (run.ending === "finished") await this.#archive.rest(run.name);
  }

  /** Passes a run's events on to their end. @returns the run opened anew where its device was lost */
  async #follow(run: ActiveRun, open: OpenRun): Promise<OpenRun | null> {
    try {
      for (;;) {
        await this.#gate(run);
        if (run.isBetween) run.updateBegan = this.#clock.now();
        run.isBetween = false;
        const next = await open.events.next();
        if (next.done === true) break;
        this.#collect(run, next.value);
        if (run.ending !== null) break;
        if (next.value.type !== "update") continue;
        await this.#keep(run, open);
        await this.questions.glance(run, open);
      }
      run.ending ??= "finished";
      return null;
    } catch (error) {
      if (run.mode === "stopping") return null;
      const anew = error instanceof DeviceLostError && open.backend.backend === "webgpu" ? await this.#recover(run, error) : null;
      if (anew === null && !isStopping(run)) this.#collect(run, failure(error, run));
      return anew;
    } finally {
      await open.events.return().catch(() => {});
    }
  }

  /** Back to the last kept update, on another device. */
  async #recover(run: ActiveRun, { message }: DeviceLostError): Promise<OpenRun | null> {
    this.#handOut(run);
    const from = run.keeper.last;
    run.keeper.rewind(from);
    run.lastUpdate = from?.update ?? 0;
    run.open?.dispose();
    run.open = null;
    run.isRecovering = true;
    this.#note(run, { type: "device-lost", update: run.lastUpdate, message });
    const open = await this.#devices.reopen({
      open: (choice) => this.#runtime.open(run.config, choice, () => this.#gate(run), from, this.#practised(run)).catch(() => null),
      sleep: (milliseconds) => this.#sleep(run, milliseconds),
      isStopping: () => isStopping(run),
    });
    run.isRecovering = false;
    if (open === null || isStopping(run)) {
      open?.dispose();
      return null;
    }
    run.open = open;
    this.#note(run, { type: "recovered", update: run.lastUpdate, backend: open.backend });
    return open;
  }

  async #keep(run: ActiveRun, open: OpenRun): Promise<void> {
    run.isBetween = true;
    const source = { arithmetic: open.backend.arithmetic, exportState: () => open.exportState(), ...(open.exportNetworks ? { exportNetworks: open.exportNetworks } : {}) };
    const snapshot = await run.keeper.atUpdate(source, run.mode === "paused");
    if (snapshot !== null) this.#note(run, { type: "kept", snapshot });
    // Paused while the copy was made.
    else if (isPaused(run)) this.#handOut(run);
  }

  /** The state of the last update leaves now, if it has not yet. */
  #handOut(run: ActiveRun): void {
    const snapshot = run.keeper.handOut();
    if (snapshot !== null) this.#note(run, { type: "kept", snapshot });
  }

  #replay(run: ActiveRun, events: readonly RunEvent[]): void {
    for (let at = 0; at < events.length; at += REPLAY_PORTION)
      this.#publish({ run: run.number, phase: phaseOf(run), events: events.slice(at, at + REPLAY_PORTION), notes: [] });
  }

  #collect(run: ActiveRun, event: RunEvent): void {
    run.buffer.push(event);
    run.keeper.collect(event);
    if (ENDINGS.has(event.type)) run.ending = event.type === "run-finished" ? "finished" : "failed";
    if (event.type === "update") {
      run.lastUpdate = event.update;
      if (run.mode === "stepping") {
        run.mode = "paused";
        this.#flush(run);
      }
    }
    this.#flushWhenDue(run);
  }

  #practised(run: ActiveRun): (progress: Practice) => void {
    return (progress) => this.#note(run, { type: "practice", ...progress });
  }

  #note(run: ActiveRun, note: SessionNote): void {
    run.notes.push(note);
    this.#flush(run);
  }

  #flushWhenDue(run: ActiveRun): void {
    if (run.buffer.length > 0 && this.#clock.now() - this.#lastFlush >= BATCH_INTERVAL) this.#flush(run);
  }

  #flush(run: ActiveRun): void {
    this.#lastFlush = this.#clock.now();
    this.#publish({ run: run.number, phase: phaseOf(run), events: run.buffer.splice(0), notes: run.notes.splice(0) });
  }
}
