import { createStore, type StoreApi } from "zustand/vanilla";
import type { TrainerLink, TrainerListener } from "#protocol/connect.ts";
import type { Reply } from "#protocol/trainer.api.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { RunSnapshot } from "#run/run-snapshot.ts";
import type { RunBatch, ResumeFrom, SessionNote } from "#trainer/run-batch.ts";
import type { BackendChoice } from "#trainer/runtime.ts";
import type { DraftStore } from "./draft-store.ts";
import type { Visibility } from "./paced-store.ts";
import { remedyOf } from "./remedy.ts";
import type { RunState, SessionEvent } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
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
  /** Exactly one update; starts a run that waits after it when there is none. */
  step(): void;
  /** Back to before the first update, same seed. */
  reset(): void;
  newSeed(): void;
  /** Starts anew with the settings as edited; a run under way is given up. */
  restart(): void;
  /** Goes on from the last kept update of the run that broke down, else of the one that an ended page left behind. */
  goOn(): void;
  /** Changes the setting that the failure names: goes on with it where an update was kept, else starts anew. */
  applyRemedy(): void;
  /** The run that an ended page left behind is deleted. */
  discardOffer(): void;
  /** Holds at once, while the run goes on and after. */
  setPace(milliseconds: number): void;
  /** For the next start; a run under way keeps its own. */
  chooseBackend(choice: BackendChoice): void;
  /** A new worker in place of one that broke down; its run is given up. */
  reconnect(): void;
  dispose(): void;
}

export interface ControllerParts {
  readonly run: RunStore;
  readonly draft: DraftStore;
  readonly view: ViewStore;
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

export function createRunController({ run, draft, view, visibility, connect, drawSeed }: ControllerParts): RunController {
  const control = createStore<ControlState>(() => ({ choice: "automatic", pace: 0 }));
  let kept: Kept | null = null;
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
    run.apply(batch.events);
    for (const note of batch.notes) run.apply(taken(note));
    run.apply(phaseEvents(batch));
  }

  function taken(note: SessionNote): readonly SessionEvent[] {
    const state = run.getState();
    switch (note.type) {
      case "kept":
        if (state.update !== note.snapshot.update) return [];
        kept = { snapshot: note.snapshot, state };
        return [{ type: "session-kept", update: state.update }];
      case "storage":
        return [{ type: "session-storage", fault: note.fault }];
      case "device-lost":
        return [...back(note.update, state), { type: "session-device-lost", update: note.update, message: note.message }];
      case "recovered":
        return [{ type: "session-backend", backend: note.backend }, { type: "session-recovered", backend: note.backend }];
      case "paused-hidden":
        return [{ type: "session-hidden", minutes: note.minutes }];
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
    void link.prepare(draft.getState().config, control.getState().choice).then((answer) => {
      if (answer.ok) run.apply([{ type: "session-backend", backend: answer.value }]);
      else fail(answer);
    });
  }

  function fail(answer: Reply<unknown>): void {
    if (answer.ok || answer.error.code === "disposed") return;
    isBroken ||= answer.error.code === "timeout";
    run.apply([{ type: "session-failed", error: answer.error }]);
  }

  async function command(send: () => Promise<Reply<unknown>>): Promise<void> {
    fail(await send());
  }

  function replaceWorker(): void {
    link.dispose();
    link = open();
    void link.setPace(control.getState().pace);
  }

  function launch(config: RunConfig, resume: ResumeFrom | null, paused: boolean): void {
    const { run: number } = run.getState();
    const backend = control.getState().choice;
    void command(async () => {
      const answer = await link.start({ run: number, config, backend, paused, resume });
      if (run.getState().run !== number) return { ok: true, value: null };
      if (answer.ok) run.apply([{ type: "session-backend", backend: answer.value }]);
      return answer.ok && paused ? link.step() : answer;
    });
  }

  function start(paused: boolean): void {
    const { config } = draft.getState();
    kept = null;
    view.follow();
    run.apply([{ type: "session-starting", run: run.getState().run + 1, config }]);
    launch(config, null, paused);
  }

  /** With the run's own settings, whatever is being edited, but for the one that is to change. */
  function goOn(changed?: (config: RunConfig) => RunConfig): void {
    const { run: number, safety } = run.getState();
    const source = kept === null ? safety.offer : { config: kept.snapshot.config };
    if (source === null) return;
    const config = changed === undefined ? source.config : changed(source.config);
    if (isBroken || safety.isQuiet) replaceWorker();
    view.follow();
    if (kept !== null) {
      run.apply([{ type: "session-rewound", state: kept.state, run: number + 1, config }]);
      launch(config, { kind: "snapshot", snapshot: kept.snapshot }, false);
    } else if (safety.offer !== null) {
      draft.replace(config);
      run.apply([{ type: "session-starting", run: number + 1, config }]);
      launch(config, { kind: "kept", name: safety.offer.name }, false);
    }
  }

  function reset(): void {
    const wasUnderWay = run.getState().status !== "idle";
    kept = null;
    view.home();
    run.apply([{ type: "session-reset" }]);
    if (wasUnderWay) void command(() => link.stop());
  }

  return {
    control,
    toggle: () => {
      const { status } = run.getState();
      if (status === "running" || status === "starting" || status === "recovering") void command(() => link.pause());
      else if (status === "paused") void command(() => link.resume());
      else if (draft.getState().issue === null) start(false);
    },
    step: () => {
      const state = run.getState();
      if (state.status === "paused") void command(() => link.step());
      else if (!isUnderWay(state) && draft.getState().issue === null) start(true);
    },
    reset,
    newSeed: () => {
      draft.set("seed", drawSeed());
      reset();
    },
    restart: () => {
      if (isBroken) replaceWorker();
      start(false);
    },
    goOn: () => goOn(),
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
    setPace: (pace) => {
      control.setState({ pace });
      void link.setPace(pace);
    },
    chooseBackend: (choice) => {
      control.setState({ choice });
      if (!isUnderWay(run.getState())) prepare();
    },
    reconnect: () => {
      const name = kept?.snapshot.name ?? null;
      kept = null;
      replaceWorker();
      run.apply([{ type: "session-reset" }]);
      if (name !== null) void link.forget(name);
      prepare();
    },
    dispose: () => link.dispose(),
  };
}

function phaseEvents({ phase }: RunBatch): readonly SessionEvent[] {
  if (phase === "paused") return [{ type: "session-paused" }];
  if (phase === "recovering") return [{ type: "session-recovering" }];
  return phase === "running" ? [{ type: "session-running" }] : [];
}
