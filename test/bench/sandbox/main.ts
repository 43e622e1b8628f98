import type { CodeRunner } from "#core/environment.ts";
import { sandboxRunner } from "#trainer/browser-sandbox.ts";

declare global {
  interface Window {
    sandboxBench: { episodes(count: number): Promise<number> };
  }
}

const runner: CodeRunner = sandboxRunner(() => new Worker(new URL("../../../workers/sandbox.worker.ts", import.meta.url), { type: "module", name: "sandbox" }));
const calls = Array.from({ length: 20 }, (_, index) => ({ name: "f", args: [[index, 3, -1, 4], index] }));
let made = 0;

window.sandboxBench = {
  /** Small episodes a second, messages to the worker and back included: a program that was never run before, and twenty tests of it. */
  async episodes(count) {
    await runner.run("", [], 1);
    const since = performance.now();
    const runs = Array.from({ length: count }, () => {
      made += 1;
      return runner.run(`function f(xs, k) { let t = ${made}; for (const x of xs) if (x > k) t += x; return t; }`, calls, 100_000);
    });
    const results = await Promise.all(runs);
    if (!results.every(({ ending, answers }) => ending === "ok" && answers.length === calls.length)) throw new Error("an episode went wrong");
    return (count * 1000) / (performance.now() - since);
  },
};
