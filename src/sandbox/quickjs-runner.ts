import type { CodeResult, CodeRunner } from "#core/environment.ts";
import { Realm } from "./realm.ts";
import { refusal } from "./source-check.ts";

/**
 * Runs code in QuickJS on this thread, in a realm that knows nothing of earlier runs and within memory, stack and steps. The engine is
 * instantiated anew after a run that may have harmed it. A built-in that takes long is not interrupted here: whoever runs code
 * that he did not make puts this into a worker (`worker-runner.ts`).
 * @param compile gives the engine's WebAssembly, asked for once, with the first run.
 */
export function createQuickJsRunner(compile: () => Promise<WebAssembly.Module>): CodeRunner {
  let compiled: Promise<WebAssembly.Module> | undefined;
  let current: Promise<Realm> | undefined;
  const open = async (): Promise<Realm> => {
    compiled ??= compile();
    return Realm.open(await compiled);
  };
  return {
    async run(source, calls, stepLimit): Promise<CodeResult> {
      const reason = refusal(source);
      if (reason !== null) return { ending: "refused", answers: [], message: reason };
      current ??= open();
      const realm = await current;
      const { result, spent } = realm.run(source, calls, stepLimit);
      if (spent) current = undefined;
      return result;
    },
  };
}
