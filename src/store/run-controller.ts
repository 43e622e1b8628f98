import { createStore, type StoreApi } from "zustand/vanilla";
import type { TrainerLink, TrainerListener } from "#protocol/connect.ts";
import type { Reply } from "#protocol/trainer.api.ts";
import type { BackendChoice } from "#trainer/runtime.ts";
import type { RunBatch } from "#trainer/session.ts";
import type { DraftStore } from "./draft-store.ts";
import type { SessionEvent } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import { isUnderWay } from "./selectors.ts";
import type { ViewStore } from "./view-store.ts";

export interface ControlState {
  /** What the next start is to run on. */
  readonly choice: BackendChoice;
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
  /** For the next start; a run under way keeps its own. */
  chooseBackend(choice: BackendChoice): void;
  /** A new worker in place of one that broke down. */
  reconnect(): void;
  dispose(): void;
}

export interface ControllerParts {
  readonly run: RunStore;
  readonly draft: DraftStore;
  readonly view: ViewStore;
  connect(listener: TrainerListener): TrainerLink;
  /** A seed nobody chose. */
  drawSeed(): number;
}

export function createRunController({ run, draft, view, connect, drawSeed }: ControllerParts): RunController {
  const control = createStore<ControlState>(() => ({ choice: "automatic" }));
  let link = open();
  prepare();

  function open(): TrainerLink {
    return connect({
      batch: receive,
      crashed: (error) => run.apply([{ type: "session-failed", error }]),
    });
  }

  function receive(batch: RunBatch): void {
    if (batch.run !== run.getState().run) return;
    run.apply([...batch.events, ...phaseEvents(batch)]);
  }

  /** Warms the trainer up and learns which backend it would take. */
  function prepare(): void {
    void link.prepare(draft.getState().config, control.getState().choice).then((answer) => {
      if (answer.ok) run.apply([{ type: "session-backend", backend: answer.value }]);
      else fail(answer);
    });
  }

  function fail(answer: Reply<unknown>): void {
    if (!answer.ok && answer.error.code !== "disposed") run.apply([{ type: "session-failed", error: answer.error }]);
  }

  async function command(send: () => Promise<Reply<unknown>>): Promise<void> {
    fail(await send());
  }

  function start(paused: boolean): void {
    const number = run.getState().run + 1;
    const { config } = draft.getState();
    const backend = control.getState().choice;
    view.follow();
    run.apply([{ type: "session-starting", run: number, config }]);
    void command(async () => {
      const answer = await link.start({ run: number, config, backend, paused });
      if (run.getState().run !== number) return { ok: true, value: null };
      if (answer.ok) run.apply([{ type: "session-backend", backend: answer.value }]);
      return answer.ok && paused ? link.step() : answer;
    });
  }

  function reset(): void {
    const wasUnderWay = run.getState().status !== "idle";
    view.follow();
    run.apply([{ type: "session-reset" }]);
    if (wasUnderWay) void command(() => link.stop());
  }

  return {
    control,
    toggle: () => {
      const { status } = run.getState();
      if (status === "running" || status === "starting") void command(() => link.pause());
      else if (status === "paused") void command(() => link.resume());
      else if (draft.getState().issue === null) start(false);
    },
    step: () => {
      const { status } = run.getState();
      if (status === "paused") void command(() => link.step());
      else if (status !== "running" && status !== "starting" && draft.getState().issue === null) start(true);
    },
    reset,
    newSeed: () => {
      draft.set("seed", drawSeed());
      reset();
    },
    restart: () => start(false),
    chooseBackend: (choice) => {
      control.setState({ choice });
      if (!isUnderWay(run.getState())) prepare();
    },
    reconnect: () => {
      link.dispose();
      run.apply([{ type: "session-reset" }]);
      link = open();
      prepare();
    },
    dispose: () => link.dispose(),
  };
}

function phaseEvents({ phase }: RunBatch): readonly SessionEvent[] {
  if (phase === "paused") return [{ type: "session-paused" }];
  return phase === "running" ? [{ type: "session-running" }] : [];
}
