import { releaseProxy, transfer, wrap } from "comlink";
import { Lifeline } from "#core/lifeline.ts";
import type { WireError } from "#run/wire-error.ts";
import type { RunBatch } from "#trainer/run-batch.ts";
import type { Reply, TrainerApi } from "./trainer.api.ts";

/** Patience with a call, in milliseconds. A call to a worker that has ended would otherwise wait for ever. */
const QUICK = 10_000;
const LOADING = 60_000;
/** Assessing takes seconds and any command cuts it short. */
const THINKING = 300_000;
/** A worker that was killed says nothing: while it trains it is asked for a sign of life. */
const PING_INTERVAL = 5_000;
const PINGS_MISSED = 4;

export interface TrainerListener {
  batch(batch: RunBatch): void;
  /** The worker has broken down; its link is of no more use. */
  crashed(error: WireError): void;
  /** It has given no sign for a while, or gives one again: killed, or busy with a very large piece of work. */
  quiet(isQuiet: boolean): void;
}

/** The trainer as the page sees it: every call settles, with an error as data if need be. */
export type TrainerLink = Omit<TrainerApi, "connect" | "ping"> & { dispose(): void };

const createTrainerWorker = (): Worker =>
  new Worker(new URL("../../workers/trainer.worker.ts", import.meta.url), { type: "module", name: "trainer" });

/** The worker is gone. */
class Ended extends Error {
  readonly why: WireError;
  constructor(why: WireError) {
    super(why.message);
    this.why = why;
  }
}

export function connectTrainer(listener: TrainerListener, createWorker: () => Worker = createTrainerWorker): TrainerLink {
  const worker = createWorker();
  const api = wrap<TrainerApi>(worker);
  const events = new MessageChannel();
  let ended: WireError | null = null;
  const line = new Lifeline();

  let watch: ReturnType<typeof setInterval> | undefined;
  let missed = 0;
  function heard(): void {
    if (missed > PINGS_MISSED) listener.quiet(false);
    missed = 0;
  }
  // Counted in ticks, not by the clock: a page that was frozen has not waited meanwhile.
  function look(): void {
    if (missed === 0) void api.ping().then(heard, () => undefined);
    missed += 1;
    if (missed === PINGS_MISSED + 1) listener.quiet(true);
  }

  const close = (error: WireError): void => {
    if (ended !== null) return;
    ended = error;
    clearInterval(watch);
    line.cut(new Ended(error));
    events.port1.close();
    api[releaseProxy]();
    worker.terminate();
  };
  const crash = (code: string, message: string): void => {
    if (ended !== null) return;
    const error = { code, message, detail: {} };
    close(error);
    listener.crashed(error);
  };
  worker.addEventListener("error", (event) => {
    crash("worker", event.message ? event.message : "The trainer worker could not be started.");
  });
  worker.addEventListener("messageerror", () => crash("worker", "A message to or from the trainer could not be read."));
  events.port1.addEventListener("messageerror", () => crash("worker", "An event of the trainer could not be read."));
  events.port1.addEventListener("message", (event: MessageEvent<RunBatch>) => {
    heard();
    if (event.data.phase === "finished" || event.data.phase === "failed") clearInterval(watch);
    listener.batch(event.data);
  });
  events.port1.start();

  async function call<T>(command: string, patience: number, send: () => Promise<Reply<T>>): Promise<Reply<T>> {
    if (ended !== null) return { ok: false, error: ended };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<Reply<T>>((resolve) => {
      const wait = (since: number): void => {
        timer = setTimeout(() => {
          // A page that was frozen has not waited: the answer may lie behind this timer.
          if (performance.now() - since > 2 * patience) wait(performance.now());
          else resolve({ ok: false, error: timeout(command, patience) });
        }, patience);
      };
      wait(performance.now());
    });
    try {
      return await line.hold(Promise.race([send(), late]));
    } catch (error) {
      if (error instanceof Ended) return { ok: false, error: error.why };
      return { ok: false, error: { code: "worker", message: error instanceof Error ? error.message : String(error), detail: { command } } };
    } finally {
      clearTimeout(timer);
    }
  }

  void call("connect", LOADING, () => api.connect(transfer(events.port2, [events.port2]))).then((answer) => {
    if (!answer.ok) crash(answer.error.code, answer.error.message);
  });
  return {
    prepare: (config, backend) => call("prepare", LOADING, () => api.prepare(config, backend)),
    start: (request) => {
      clearInterval(watch);
      missed = 0;
      watch = setInterval(look, PING_INTERVAL);
      return call("start", LOADING, () => api.start(request));
    },
    pause: () => call("pause", QUICK, () => api.pause()),
    resume: () => call("resume", QUICK, () => api.resume()),
    step: () => call("step", QUICK, () => api.step()),
    stop: () => call("stop", QUICK, () => api.stop()),
    snapshot: () => call("snapshot", QUICK, () => api.snapshot()),
    checkpoint: (update) => call("checkpoint", QUICK, () => api.checkpoint(update)),
    assess: (request) => call("assess", THINKING, () => api.assess(request)),
    forkOptions: (place) => call("forkOptions", LOADING, () => api.forkOptions(place)),
    fork: (request) => call("fork", THINKING, () => api.fork(request)),
    replay: (request) => call("replay", LOADING, () => api.replay(request)),
    playTask: (request) => call("playTask", LOADING, () => api.playTask(request)),
    setPace: (milliseconds) => call("setPace", QUICK, () => api.setPace(milliseconds)),
    setHidden: (isHidden) => call("setHidden", QUICK, () => api.setHidden(isHidden)),
    kept: () => call("kept", LOADING, () => api.kept()),
    forget: (name) => call("forget", QUICK, () => api.forget(name)),
    addPolicy: (bytes) => call("addPolicy", LOADING, () => api.addPolicy(bytes)),
    retryStorage: () => call("retryStorage", LOADING, () => api.retryStorage()),
    dispose: () => close({ code: "disposed", message: "the trainer was closed", detail: {} }),
  };
}

const timeout = (command: string, patience: number): WireError => ({
  code: "timeout",
  message: `The trainer did not answer “${command}” within ${patience / 1000} seconds.`,
  detail: { command, patience },
});
