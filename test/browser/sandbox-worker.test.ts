import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CodeRunner } from "#core/environment.ts";
import { BY_THE_CLOCK } from "#sandbox/worker-runner.ts";
import { sandboxRunner } from "#trainer/browser-sandbox.ts";

const STEPS = 1_000_000;
const F = [{ name: "f", args: [] }];
const started: Worker[] = [];
const start = (): Worker => {
  const worker = new Worker(new URL("../../workers/sandbox.worker.ts", import.meta.url), { type: "module", name: "sandbox" });
  started.push(worker);
  return worker;
};

// What stands in test/unit/sandbox for Node, where a browser's worker has less stack and another WebAssembly.
describe("the sandbox in a dedicated worker of the browser", () => {
  let runner: CodeRunner;
  beforeAll(async () => {
    runner = sandboxRunner(start);
    await runner.run("", [], 1);
  });
  afterAll(() => {
    for (const worker of started) worker.terminate();
  });
  const works = async (): Promise<boolean> => JSON.stringify((await runner.run(`function f() { return [typeof left, ${Math.random()} < 1]; }`, F, STEPS)).answers).includes('["undefined",true]');

  test.each([
    ["interrupted", "for (;;);"],
    ["interrupted", "new Promise(() => { for (;;); }); function f() { return 1; }"],
    ["interrupted", "(async () => { for (;;) await 0; })(); function f() { return 1; }"],
    ["interrupted", "/^(a+)+$/.test('a'.repeat(40) + 'b')"],
    ["stack", "function f() { return f() + 1; }"],
    ["stack", "function f() { return [1].map(f); }"],
    ["stack", "eval('('.repeat(20000) + ')'.repeat(20000))"],
    ["stack", "x=>".repeat(10_000) + "1"],
    ["memory", "globalThis.left = []; for (;;) left.push(new Array(10000).fill(1));"],
    ["memory", "Promise.resolve().then(() => { const a = []; for (;;) a.push(new Array(1000).fill({})); }); function f() { return 1; }"],
    ["memory", "'x'.repeat(1 << 29)"],
    ["refused", "[".repeat(257)],
  ])("%s: %s", async (ending, source) => {
    expect((await runner.run(source, F, STEPS)).ending).toBe(ending);
    expect(await works()).toBe(true);
  });

  test("recursion as deep as in Node, after code that was compiled as well", async () => {
    const depth = "let n = 0; function deep() { n += 1; deep(); } function f() { try { deep(); } catch { } return n; }";
    const warm = `let sum = 0; for (let i = 0; i < 200000; i += 1) sum += i; ${depth}`;
    const depths = await Promise.all([depth, warm].map(async (source) => (await runner.run(source, F, 10 * STEPS)).answers));
    expect(depths).toEqual([depths[0], depths[0]]);
    expect(depths[0]).toEqual([{ kind: "value", value: 741, changed: false }]);
  });

  test("a loop stops at the very iteration at which it stops in Node", async () => {
    const passes = async (iterations: number) => (await runner.run(`for (let i = 0; i < ${iterations}; i += 1);`, [], 100_000)).ending;
    expect([await passes(49_977), await passes(49_978)]).toEqual(["ok", "interrupted"]);
  });

  test("a built-in that takes for ever is ended with its worker, and the next run is fine", async () => {
    const before = started.length;
    const [slow, next] = await Promise.all([runner.run("[].indexOf.call({ length: 2 ** 50 }, 1)", [], STEPS), runner.run("function f() { return 7; }", F, STEPS)]);
    expect(slow).toEqual({ ending: "interrupted", answers: [], message: BY_THE_CLOCK });
    expect(next).toMatchObject({ ending: "ok", answers: [{ value: 7 }] });
    expect(started.length).toBe(before + 1);
  });

  test("a worker that is not there is said so", async () => {
    const missing = sandboxRunner(() => new Worker(new URL("./nowhere.worker.js", location.href), { type: "module" }));
    await expect(missing.run("1", [], STEPS)).rejects.toThrow("the sandbox's worker failed");
  });
});
