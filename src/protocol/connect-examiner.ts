import { proxy, releaseProxy, transfer, wrap } from "comlink";
import { Lifeline } from "#core/lifeline.ts";
import type { WireError } from "#run/wire-error.ts";
import type { ExaminerApi } from "./examiner.api.ts";
import type { Reply } from "./trainer.api.ts";

/** The examiner as the page sees it: every call settles, with an error as data if need be. */
export type ExaminerLink = ExaminerApi & { dispose(): void };

const createExaminerWorker = (): Worker => new Worker(new URL("../../workers/examiner.worker.ts", import.meta.url), { type: "module", name: "examiner" });

/** @param onCrash the worker broke down; its link is of no more use */
export function connectExaminer(onCrash: (error: WireError) => void, createWorker: () => Worker = createExaminerWorker): ExaminerLink {
  const worker = createWorker();
  const api = wrap<ExaminerApi>(worker);
  const line = new Lifeline();
  let isClosed = false;
  const close = (reason: string): void => {
    isClosed = true;
    line.cut(new Error(reason));
    api[releaseProxy]();
    worker.terminate();
  };
  const crash = (message: string): void => {
    if (isClosed) return;
    close(message);
    onCrash({ code: "worker", message, detail: {} });
  };
  worker.addEventListener("error", (event) => crash(event.message ? event.message : "The worker that plays policies could not be started."));
  worker.addEventListener("messageerror", () => crash("A message to or from the worker that plays policies could not be read."));
  // How long an evaluation takes nobody knows; a model that hangs is ended by the worker itself.
  async function call<T>(send: () => Promise<Reply<T>>): Promise<Reply<T>> {
    try {
      if (isClosed) throw new Error("The worker that plays policies was closed.");
      return await line.hold(send());
    } catch (error) {
      return { ok: false, error: { code: "worker", message: error instanceof Error ? error.message : String(error), detail: {} } };
    }
  }
  return {
    load: (source, config, provider) => call(() => api.load(source.kind === "base" ? source : transfer(source, [source.bytes.buffer]), config, provider)),
    begin: (task, seed) => call(() => api.begin(task, seed)),
    step: () => call(() => api.step()),
    evaluate: (request, onProgress) => call(() => api.evaluate(request, proxy(onProgress))),
    stop: () => call(() => api.stop()),
    onnx: () => call(() => api.onnx()),
    dispose: () => close("The worker that plays policies was closed."),
  };
}
