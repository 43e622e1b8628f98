import { createStore, type StoreApi } from "zustand/vanilla";
import type { TrainerLink, TrainerListener } from "#protocol/connect.ts";
import type { Reply } from "#protocol/trainer.api.ts";
import type { Assessed, AssessRequest, ForkOptions, ForkRequest, ForkResult, TurnPlace } from "#run/assessment.ts";
import type { RunConfig } from "#run/run-config.ts";
import { endOfUpdate, type RunEvent } from "#run/run-event.ts";
import type { RunSnapshot } from "#run/run-snapshot.ts";
import type { CheckpointFile } from "#trainer/checkpoint-file.ts";
import type { RunBatch, ResumeFrom, SessionNote } from "#trainer/run-batch.ts";
import type { BackendChoice } from "#trainer/runtime.ts";
import type { DraftStore } from "./draft-store.ts";
import type { Visibility } from "./paced-store.ts";
import { phaseEvents } from "./phase-events.ts";
import { remedyOf } from "./remedy.ts";
import { RunLog } from "./run-log.ts";
import type { RunState, SessionEvent } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import type { StartGate } from "./start-gate.ts";
import { isUnderWay } from "./selectors.ts";
import type { ViewStore } from "./view-store.ts";

export interface ControlState {
  /** What the next start is to run on. */
  readonly choice: BackendChoice;
  /** Least milliseconds from one update to the next; 0 is as fast as can be. */
  readonly pace: number;
}

/** The commands a person can give; what comes of them is seen in the run store. */
export interface RunController {
  readonly control: Pick<StoreApi<ControlState>, "getState" | "getInitialState" | "subscribe">;
  /** Starts, resumes or pauses, whichever the run is ready for. */
  toggle(): void;
  /** Exactly one update more; starts a run that waits after it when there is none. A run that runs is left alone. */
  step(): void;
  /** Back to before the first update, same seed. */
  reset(): void;
  newSeed(): void;
  /** Starts anew with the settings as edited; a run under way is given up. */
  restart(): void;
  /** A new run under these settings, whatever is being edited. */
  startWith(config: RunConfig): void;
  /** Goes on from the last kept update of the run that broke down, else of the one that an ended page left behind. */
  goOn(): void;
  /** Goes on from the end of an update whose state the trainer still has: the same events come after it as did before, unless a setting is changed. */
  goBack(update: number, changed?: (config: RunConfig) => RunConfig): void;
  /** The weights after such an update, as a file. */
  checkpoint(update: number): Promise<Reply<CheckpointFile>>;
  /** Of the run so far, for a file. */
  events(): readonly RunEvent[];
  /** The newest state that left the trainer; null before the first. */
  snapshot(): RunSnapshot | null;
  /** Changes the setting that the failure names: goes on with it where an update was kept, else starts anew. */
  applyRemedy(): void;
  /** The run that an ended page left behind is deleted. */
  discardOffer(): void;
  /** Shows a run as it was stored; it waits where it can be gone on with. */
  openStored(config: RunConfig, source: Extract<ResumeFrom, { kind: "kept" | "file" }>): void;
  /** The next runs start from a policy out of a file (safetensors), with these settings where it fits them. */
  startFrom(bytes: Uint8Array<ArrayBuffer>, config: RunConfig): Promise<Reply<unknown>>;
  /** There is room in storage again. */
  retryStorage(): void;
  /** Holds at once, while the run goes on and after. */
  setPace(milliseconds: number): void;
  /** For the next start; a run under way keeps its own. */
  chooseBackend(choice: BackendChoice): void;
  /** A new worker in place of one that broke down; its run is given up. */
  reconnect(): void;
  /**
   * What comes of it is in the store's findings. Nothing is assessed while a run goes on: null, in a reply that went well, where that,
   * a command or the next question cut it short; an error where the group is not kept any more.
   */
  assess(request: AssessRequest): Promise<Reply<Assessed | null>>;
  forkOptions(place: TurnPlace): Promise<Reply<ForkOptions | null>>;
  fork(request: ForkRequest): Promise<Reply<ForkResult | null>>;
  replay: TrainerLink["replay"];
  playTask: TrainerLink["playTask"];
  dispose(): void;
}

export interface ControllerParts {
  readonly run: RunStore;
  readonly draft: DraftStore;
  readonly view: ViewStore;
  readonly gate: StartGate;
  readonly visibility: Visibility;
  connect(listener: TrainerListener): TrainerLink;
  /** A seed nobody chose. */
  drawSeed(): number;
}

/** A snapshot, and the run as it was shown when it was taken. */
interface Kept {
  readonly snapshot: RunSnapshot;
  readonly state: RunState;
}

export function createRunController({ run, draft, view, gate, visibility, connect, drawSeed }: ControllerParts): RunController {
  const control = createStore<ControlState>(() => ({ choice: "automatic", pace: 0 }));
  let kept: Kept | null = null;
  /** The run as it was shown right after each update that the trainer can go back to. */
  const shelf = new Map<number, RunState>();
  const log = new RunLog();
  let isBroken = false;
  let link = open();
  prepare();
  void link.kept().then((answer) => {
    if (answer.ok && run.getState().status === "idle") run.apply([{ type: "session-offer", offer: answer.value }]);
  });
  visibility.subscribe(() => void link.setHidden(visibility.hidden()));

  function open(): TrainerLink {
    isBroken = false;
    return connect({
      batch: receive,
      crashed: (error) => {
        isBroken = true;
        run.apply([{ type: "session-failed", error }]);
      },
      quiet: (isQuiet) => run.apply([{ type: "session-quiet", isQuiet }]),
    });
  }

  function receive(batch: RunBatch): void {
    if (batch.run !== run.getState().run) return;
    let { events } = batch;
    for (const note of batch.notes) {
      // What was shown right after that update, before anything that came behind it in the same batch.
      const end = note.type === "shelf" ? endOfUpdate(events, note.update) : 0;
      run.apply(events.slice(0, end));
      events = events.slice(end);
      if (note.type === "shelf") putOnShelf(note.update, note.updates);
    }
    run.apply(events);
    // Whoever heard of these events may have started the next run.
    if (batch.run !== run.getState().run) return;
    log.add(batch.events, run.getState().groups);
    for (const note of batch.notes) run.apply(taken(note));
    run.apply(phaseEvents(batch));
  }

  function putOnShelf(update: number, updates: readonly number[]): void {
    const state = run.getState();
    if (state.update === update) shelf.set(update, state);
    for (const known of shelf.keys()) if (!updates.includes(known)) shelf.delete(known);
  }

  function taken(note: SessionNote): readonly SessionEvent[] {
    const state = run.getState();
    switch (note.type) {
      case "kept":
        if (state.update !== note.snapshot.update) return [];
        kept = { snapshot: note.snapshot, state };
        return [{ type: "session-kept", update: state.update }];
      case "shelf":
        return [{ type: "session-shelf", updates: note.updates.filter((update) => shelf.has(update)) }];
      case "storage":
        return [{ type: "session-storage", fault: note.fault }];
      case "device-lost":
        log.rewind(note.update);
        return [...back(note.update, state), { type: "session-device-lost", update: note.update, message: note.message }];
      case "recovered":
        return [{ type: "session-backend", backend: note.backend }, { type: "session-recovered", backend: note.backend }];
      case "practice":
        return [{ type: "session-practice", practice: { done: note.done, of: note.of } }];
      case "paused-hidden":
        return [{ type: "session-hidden", minutes: note.minutes }];
      case "assessment":
        return [{ ...note, type: "session-assessed" }];
      default:
        return note satisfies never;
    }
  }

  /** The worker has gone back to an update: so does what is shown. */
  function back(update: number, { run: number, config }: RunState): readonly SessionEvent[] {
    if (config === null) return [];
    if (kept?.snapshot.update === update) return [{ type: "session-rewound", state: kept.state, run: number, config }];
    return update === 0 ? [{ type: "session-starting", run: number, config }] : [];
  }

  /** Warms the trainer up and learns which backend it would take. */
  function prepare(): void {
    void link
      .prepare(draft.getState().config, control.getState().choice)
      .then((answer) => (answer.ok ? run.apply([{ type: "session-backend", backend: answer.value }]) : fail(answer)));
  }

  function fail(answer: Reply<unknown>): void {
    if (answer.ok || answer.error.code === "disposed") return;
    isBroken ||= answer.error.code === "timeout";
    run.apply([{ type: "session-failed", error: answer.error }]);
  }

  const command = async (send: () => Promise<Reply<unknown>>): Promise<void> => fail(await send());

  /** Nothing of the run on screen stays. */
  function clear(): void {
    kept = null;
    shelf.clear();
    log.clear();
  }

  function replaceWorker(): void {
    link.dispose();
    shelf.clear();
    run.apply([{ type: "session-shelf", updates: [] }]);
    link = open();
    void link.setPace(control.getState().pace);
  }

  function launch(config: RunConfig, resume: ResumeFrom | null, then: "run" | "step" | "wait"): void {
    gate.callOff();
    const { run: number } = run.getState();
    const backend = control.getState().choice;
    void command(async () => {
      const answer = await link.start({ run: number, config, backend, paused: then !== "run", resume });
      if (run.getState().run !== number) return { ok: true, value: null };
      if (answer.ok && answer.value !== null) run.apply([{ type: "session-backend", backend: answer.value }]);
      return answer.ok && then === "step" ? link.step() : answer;
    });
  }

  function start(paused: boolean, config = draft.getState().config): void {
    if (isBroken) replaceWorker();
    clear();
    view.follow();
    run.apply([{ type: "session-starting", run: run.getState().run + 1, config }]);
    launch(config, null, paused ? "step" : "run");
  }

  const startAsSet = (paused: boolean): void => gate.pass(() => draft.getState().issue === null && start(paused));
  /** A run that was stored, or came out of a file. */
  function openStored(config: RunConfig, source: Extract<ResumeFrom, { kind: "kept" | "file" }>, then: "run" | "wait"): void {
    if (isBroken || run.getState().safety.isQuiet) replaceWorker();
    clear();
    view.follow();
    draft.replace(config);
    run.apply([{ type: "session-starting", run: run.getState().run + 1, config }]);
    launch(config, source, then);
  }

  /** With the run's own settings, whatever is being edited, but for the one that is to change. */
  function goOn(changed?: (config: RunConfig) => RunConfig): void {
    const { run: number, safety } = run.getState();
    const source = kept === null ? safety.offer : { config: run.getState().config ?? kept.snapshot.config };
    if (source === null) return;
    const config = changed === undefined ? source.config : changed(source.config);
    if (isBroken || safety.isQuiet) replaceWorker();
    view.follow();
    log.rewind(kept?.snapshot.update ?? 0);
    if (kept !== null) {
      run.apply([{ type: "session-rewound", state: kept.state, run: number + 1, config }]);
      launch(config, { kind: "snapshot", snapshot: kept.snapshot }, "run");
    } else if (safety.offer !== null) openStored(config, { kind: "kept", name: safety.offer.name }, "run");
  }

  function reset(): void {
    gate.callOff();
    const wasUnderWay = run.getState().status !== "idle";
    clear();
    view.home();
    run.apply([{ type: "session-reset" }]);
    if (wasUnderWay) void command(() => link.stop());
  }

  return {
    control,
    toggle: () => {
      const { status } = run.getState();
      if (gate.getState().isAwaited) gate.callOff();
      else if (status === "running" || status === "starting" || status === "recovering") void command(() => link.pause());
      else if (status === "paused") void command(() => link.resume());
      else startAsSet(false);
    },
    step: () => {
      if (isUnderWay(run.getState())) void command(() => link.step());
      else startAsSet(true);
    },
    reset,
    newSeed: () => {
      draft.set("seed", drawSeed());
      reset();
    },
    restart: () => start(false),
    startWith: (config) => start(false, config),
    goOn: () => goOn(),
    goBack: (update, changed) => {
      const state = shelf.get(update);
      if (state === undefined || state.config === null) return;
      const config = changed === undefined ? state.config : changed(state.config);
      if (changed !== undefined) draft.replace(config);
      view.follow();
      log.rewind(update);
      run.apply([{ type: "session-rewound", state, run: run.getState().run + 1, config }]);
      launch(config, { kind: "shelf", update }, "run");
    },
    checkpoint: (update) => link.checkpoint(update),
    events: () => log.events,
    snapshot: () => kept?.snapshot ?? null,
    applyRemedy: () => {
      const remedy = remedyOf(run.getState().error);
      if (remedy === null) return;
      draft.set(remedy.setting, remedy.value);
      if (kept === null) start(false);
      else goOn(remedy.apply);
    },
    discardOffer: () => {
      const { offer } = run.getState().safety;
      run.apply([{ type: "session-offer", offer: null }]);
      if (offer !== null) void link.forget(offer.name);
    },
    openStored: (config, source) => openStored(config, source, "wait"),
    startFrom: async (bytes, config) => {
      const added = await link.addPolicy(bytes);
      if (!added.ok) return added;
      const settings = { ...config, from: added.value };
      const answer = await link.prepare(settings, control.getState().choice);
      if (answer.ok) draft.replace(settings);
      return answer;
    },
    retryStorage: () => void command(() => link.retryStorage()),
    setPace: (pace) => {
      control.setState({ pace });
      void link.setPace(pace);
    },
    chooseBackend: (choice) => {
      control.setState({ choice });
      if (!isUnderWay(run.getState())) prepare();
    },
    reconnect: () => {
      clear();
      replaceWorker();
      view.home();
      run.apply([{ type: "session-reset" }]);
      prepare();
    },
    assess: async (request) => {
      const { run: number } = run.getState();
      const answer = await link.assess(request);
      if (answer.ok && answer.value !== null && run.getState().run === number) run.apply([{ type: "session-assessed", ...answer.value }]);
      return answer;
    },
    forkOptions: (place) => link.forkOptions(place),
    fork: (request) => link.fork(request),
    replay: (request) => link.replay(request),
    playTask: (request) => link.playTask(request),
    dispose: () => link.dispose(),
  };
}
