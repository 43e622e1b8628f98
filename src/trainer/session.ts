import { DeviceLostError, PolicyError } from "#core/errors.ts";
import type { RunConfig } from "#run/run-config.ts";
import { endOfUpdate, type RunEvent } from "#run/run-event.ts";
import type { KeptRun } from "#run/run-snapshot.ts";
import { ENDINGS, failure, isPaused, isStopping, newRun, phaseOf, shelfNote, type ActiveRun } from "./active-run.ts";
import { checkpointFile, type CheckpointFile } from "./checkpoint-file.ts";
import { DeviceRecovery } from "./device-recovery.ts";
import { HIDDEN_MINUTES, HiddenBudget } from "./hidden-budget.ts";
import { Questions } from "./questions.ts";
import type { RunArchive } from "./run-archive.ts";
import type { RunBatch, SessionNote, StartRequest } from "./run-batch.ts";
import { keeperOf, replayed, shelved, sourceOf, storedRun } from "./stored-run.ts";
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

/** Drives one run at a time: start, pause, resume, exactly one update, stop; keeps it safe; publishes its events in batches. */
export class TrainerSession {
  readonly #runtime: TrainRuntime;
  readonly #archive: RunArchive;
  readonly #publish: (batch: RunBatch) => void;
  readonly #clock: Clock;
  #active: ActiveRun | null = null;
  /** Of what was last asked for: a start that was slow to begin gives way to what came behind it. */
  #turn = 0;
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

  /** There is room again: what could not be stored is, now. */
  async retryStorage(): Promise<void> {
    await this.#active?.keeper.retry();
  }

  /** Stops what runs, opens the new run and answers as soon as it is open; its events follow in batches. Null where there are no weights to open it with. */
  async start({ run: number, config, backend, paused, resume }: StartRequest): Promise<BackendReport | null> {
    const turn = (this.#turn += 1);
    // Of the run under way storage has the rest only when it has ended.
    if (resume?.kind === "kept" && this.#active?.name === resume.name) await this.#end(resume.name);
    const stored = resume?.kind === "kept" || resume?.kind === "file" ? await storedRun(this.#archive, resume) : null;
    const back = resume?.kind === "shelf" ? shelved(this.#active?.keeper, resume.update) : null;
    const from = resume?.kind === "snapshot" ? resume.snapshot : (stored?.snapshot ?? back?.snapshot ?? null);
    const isOver = stored !== null && (from === null || stored.events.at(-1)?.type === "run-finished");
    await this.#end(from?.name ?? null);
    void this.questions.leave();
    if (turn !== this.#turn) throw new RunStopped();
    const name = stored?.name ?? from?.name ?? this.#archive.open();
    // What is only looked at is nobody's.
    if (from !== null && !isOver && !(await this.#archive.claim(name))) throw new PolicyError("another tab is working on this run: look at it there");
    // Notes go to the run that is open by then: a keeper outlives the run that goes back.
    const keeper = back?.keeper ?? keeperOf({ name, config, archive: this.#archive, now: () => this.#clock.now() }, from, (note) => void this.#active?.notes.push(note));
    const run = newRun({ number, config, keeper, name, mode: paused ? "paused" : "running", isOver, lastUpdate: from?.update ?? 0, updateBegan: this.#clock.now() });
    this.#active = run;
    this.#lastFlush = Number.NEGATIVE_INFINITY;
    if (back !== null) await keeper.goBack(back.snapshot, config);
    const end = from === null ? 0 : endOfUpdate(stored?.events ?? [], from.update);
    replayed(run, stored?.events.slice(0, end)).forEach(this.#publish);
    if (from !== null) {
      run.notes.push(shelfNote(keeper));
      this.#note(run, { type: "kept", snapshot: from });
    }
    replayed(run, stored?.events.slice(end)).forEach(this.#publish);
    if (isOver) run.ending = "finished";
    if (from === null && isOver) {
      this.#flush(run);
      return null;
    }
    const open = await this.#runtime.open(config, this.#devices.allowed(backend), () => this.#gate(run), from, this.#practised(run));
    run.open = open;
    if (this.#active !== run) {
      open.dispose();
      throw new RunStopped();
    }
    if (isOver) this.#flush(run);
    else run.done = this.#drive(run, open);
    return this.#devices.told(open.backend);
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

  /** Runs on to the end of the update that is under way, or of the next one; asked again meanwhile, to the end of the one after it. What runs is left alone. */
  step(): void {
    const run = this.#active;
    if (run === null || run.mode === "running") return;
    run.stepsLeft = run.mode === "stepping" ? 2 : 1;
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

  /** Resolves when the run has let go of what it held; it stays among the stored ones. */
  stop(): Promise<void> {
    this.#turn += 1;
    return this.#end(null);
  }

  /** The weights after an update, as a safetensors file. @throws PolicyError that names the updates whose state is kept. */
  checkpoint(update: number): CheckpointFile {
    const { snapshot } = shelved(this.#active?.keeper, update);
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
    if (run.isOver) return;
    if (run.ending === null) this.#handOut(run);
    await run.keeper.settled();
    if (run.name !== going && run.ending !== "finished") await run.keeper.conclude();
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
    if (run.ending !== "finished") return;
    // Its last state is stored with its last events, however short ago the last copy left.
    if (run.open !== null) await this.#keep(run, run.open, true);
    await run.keeper.conclude();
    this.#flush(run);
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

  async #keep(run: ActiveRun, open: OpenRun, isLast = false): Promise<void> {
    run.isBetween = true;
    const snapshot = await run.keeper.atUpdate(sourceOf(open), isLast || run.mode === "paused");
    if (snapshot !== null) this.#note(run, { type: "kept", snapshot });
    // Paused while the copy was made.
    else if (isPaused(run)) this.#handOut(run);
  }

  /** The state of the last update leaves now, if it has not yet. */
  #handOut(run: ActiveRun): void {
    const snapshot = run.keeper.handOut();
    if (snapshot !== null) this.#note(run, { type: "kept", snapshot });
  }

  #collect(run: ActiveRun, event: RunEvent): void {
    run.buffer.push(event);
    run.keeper.collect(event);
    if (ENDINGS.has(event.type)) run.ending = event.type === "run-finished" ? "finished" : "failed";
    if (event.type === "update") {
      run.lastUpdate = event.update;
      if (run.mode === "stepping" && (run.stepsLeft -= 1) === 0) {
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
