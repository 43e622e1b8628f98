import type { CodeRunner } from "#core/environment.ts";
import type { FromWorker, ToWorker } from "./messages.ts";

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The worker's side: makes the runs one after the other, each result sent as soon as it is there. @returns what takes a message. */
export function serveRuns(runner: CodeRunner, post: (message: FromWorker) => void): (message: ToWorker) => void {
  let turn = runner.run("", [], 1).then(() => post({ type: "ready" }));
  const fail = (error: unknown): void => post({ type: "failed", message: reason(error) });
  turn.catch(fail);
  return (requests) => {
    turn = turn.then(async () => {
      for (const { id, source, calls, stepLimit } of requests) post({ type: "result", id, result: await runner.run(source, calls, stepLimit) });
    });
    turn.catch(fail);
  };
}
