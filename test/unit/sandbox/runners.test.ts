import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import type { CodeResult, CodeRunner } from "#core/environment.ts";
import { cached } from "#sandbox/cached-runner.ts";
import type { FromWorker, SandboxPort, ToWorker } from "#sandbox/messages.ts";
import { serveRuns } from "#sandbox/worker-host.ts";
import { BY_THE_CLOCK, createWorkerRunner, endedByTheClock } from "#sandbox/worker-runner.ts";
import { threadedCodeRunner } from "../../../src/cli/code-runner.ts";
import { callF, freshRunner, STEPS } from "./support.ts";

const ok = (message = ""): CodeResult => ({ ending: "ok", answers: [], message });
const settle = () => new Promise<void>((resolve) => setTimeout(resolve));

describe("a runner that remembers", () => {
  const counting = (result: () => CodeResult | Promise<CodeResult> = ok) => {
    const run = vi.fn<CodeRunner["run"]>(async () => result());
    return { run, runner: cached({ run }, endedByTheClock) };
  };

  test("asks once for the same source, calls and limit, even at the same time", async () => {
    const { run, runner } = counting();
    const both = [runner.run("a", callF(1), 10), runner.run("a", callF(1), 10)];
    expect(await Promise.all(both)).toEqual([ok(), ok()]);
    await runner.run("a", callF(1), 10);
    expect(run).toHaveBeenCalledTimes(1);
    for (const [source, calls, steps] of [["b", callF(1), 10], ["a", callF(2), 10], ["a", callF(1), 11]] as const) await runner.run(source, calls, steps);
    expect(run).toHaveBeenCalledTimes(4);
  });

  test("asks again after a failure, and after what the clock ended", async () => {
    const { run, runner } = counting(() => Promise.reject(new Error("gone")));
    for (const _ of [1, 2]) await expect(runner.run("a", [], 1)).rejects.toThrow("gone");
    expect(run).toHaveBeenCalledTimes(2);
    const timed = counting(() => ({ ...ok(BY_THE_CLOCK), ending: "interrupted" }));
    for (const _ of [1, 2]) await timed.runner.run("a", [], 1);
    expect(timed.run).toHaveBeenCalledTimes(2);
  });

  test("forgets what was used longest ago", async () => {
    const { run, runner } = counting();
    await runner.run("first", [], 1);
    for (let index = 0; index < 7_999; index += 1) await runner.run(`source ${index}`, [], 1);
    await runner.run("first", [], 1);
    expect(run).toHaveBeenCalledTimes(8_000);
    await runner.run("one more", [], 1);
    await runner.run("first", [], 1);
    expect(run).toHaveBeenCalledTimes(8_001);
    await runner.run("source 0", [], 1);
    expect(run).toHaveBeenCalledTimes(8_002);
  });
});

/** A worker of this thread: runs only when told to, and can fall silent. */
function fakeWorkers(runner: CodeRunner = { run: async (source) => ok(source) }) {
  const workers: { posted: ToWorker[]; silent: boolean; terminated: boolean; fail(reason: string): void }[] = [];
  const timers: { milliseconds: number; action: () => void; stopped: boolean }[] = [];
  const start = (): SandboxPort => {
    let take: (message: ToWorker) => void = () => undefined;
    const worker = { posted: [] as ToWorker[], silent: false, terminated: false, fail: (_reason: string): void => undefined };
    workers.push(worker);
    return {
      post: (message) => {
        worker.posted.push(message);
        take(message);
      },
      listen: (onMessage, onFailure) => {
        worker.fail = onFailure;
        take = serveRuns({ run: (source, calls, steps) => (source === "hang" ? new Promise(() => undefined) : runner.run(source, calls, steps)) },
          (message: FromWorker) => worker.silent || worker.terminated || onMessage(message));
      },
      terminate: () => {
        worker.terminated = true;
      },
    };
  };
  const after = (milliseconds: number, action: () => void) => {
    const timer = { milliseconds, action, stopped: false };
    timers.push(timer);
    return () => {
      timer.stopped = true;
    };
  };
  return { workers, timers, running: () => timers.filter(({ stopped }) => !stopped), runner: createWorkerRunner(start, { timers: { after }, patience: 2000, loading: 60_000 }) };
}

describe("a runner in a worker of its own", () => {
  test("starts with the first run, and sends what is asked in one breath as one message", async () => {
    const { workers, running, runner } = fakeWorkers();
    expect(workers).toHaveLength(0);
    const results = await Promise.all(["a", "b", "c"].map((source) => runner.run(source, [], 1)));
    expect(results.map(({ message }) => message)).toEqual(["a", "b", "c"]);
    expect(workers).toHaveLength(1);
    expect(workers[0]!.posted.map((requests) => requests.length)).toEqual([3]);
    expect(running()).toEqual([]);
  });

  test("ends by force what does not come back, and makes what waited behind it again", async () => {
    const { workers, running, runner } = fakeWorkers();
    await runner.run("warm", [], 1);
    const results = Promise.all(["a", "hang", "b", "c"].map((source) => runner.run(source, [], 1)));
    await settle();
    const [timer, ...others] = running();
    expect([timer!.milliseconds, others.length]).toEqual([2000, 0]);
    timer!.action();
    expect((await results).map(({ ending, message }) => [ending, message])).toEqual([["ok", "a"], ["interrupted", BY_THE_CLOCK], ["ok", "b"], ["ok", "c"]]);
    expect(workers.map(({ terminated, posted }) => [terminated, posted.length])).toEqual([[true, 2], [false, 1]]);
    expect(running()).toEqual([]);
  });

  test("patience starts over with every result", async () => {
    const { timers, runner } = fakeWorkers();
    await Promise.all(["a", "b", "c"].map((source) => runner.run(source, [], 1)));
    expect(timers.filter(({ milliseconds }) => milliseconds === 2000).length).toBeGreaterThanOrEqual(3);
    expect(timers.every(({ stopped }) => stopped)).toBe(true);
  });

  test("a worker that does not start, or breaks down, is an error of every run that waits, and the next run starts another", async () => {
    const { workers, running, runner } = fakeWorkers();
    const failing = [runner.run("hang", [], 1), runner.run("a", [], 1)].map((run) => run.catch((error: Error) => error.message));
    await settle();
    workers[0]!.fail("no memory");
    expect(await Promise.all(failing)).toEqual(["the sandbox's worker failed: no memory", "the sandbox's worker failed: no memory"]);
    expect((await runner.run("a", [], 1)).message).toBe("a");
    expect(workers.map(({ terminated }) => terminated)).toEqual([true, false]);
    const slow = fakeWorkers({ run: () => new Promise(() => undefined) });
    const late = slow.runner.run("a", [], 1).catch((error: Error) => error.message);
    await settle();
    const [timer] = slow.running();
    expect(timer!.milliseconds).toBe(60_000);
    timer!.action();
    expect(await late).toBe("the sandbox's worker failed: it did not start in time");
    expect(running()).toEqual([]);
  });

  test("an engine that cannot be loaded is said so", async () => {
    const { runner } = fakeWorkers({ run: () => Promise.reject(new Error("404")) });
    await expect(runner.run("a", [], 1)).rejects.toThrow("the sandbox's worker failed: 404");
  });

  test("a built-in that takes for ever is ended in a real thread, and the next run is fine", async () => {
    const runner = threadedCodeRunner(1500);
    await runner.run("", [], 1);
    const since = performance.now();
    const [slow, next] = await Promise.all([runner.run("[].indexOf.call({ length: 2 ** 50 }, 1)", [], STEPS), runner.run("function f() { return 7; }", callF(), STEPS)]);
    expect(slow).toEqual({ ending: "interrupted", answers: [], message: BY_THE_CLOCK });
    expect(performance.now() - since).toBeGreaterThan(1400);
    expect(next).toMatchObject({ ending: "ok", answers: [{ value: 7 }] });
  }, 60_000);
});

test("one variant of the engine is installed, and it is not an asyncify build", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, unknown> };
  const engines = Object.keys(packages).filter((path) => /quickjs/.test(path)).map((path) => path.replace("node_modules/", ""));
  expect(new Set(engines)).toEqual(new Set(["@jitl/quickjs-ffi-types", "@jitl/quickjs-wasmfile-release-sync", "quickjs-emscripten-core"]));
});

test("an engine that was harmed is replaced, others are kept", async () => {
  const { Realm } = await import("#sandbox/realm.ts");
  const open = vi.spyOn(Realm, "open");
  const runner = freshRunner();
  for (const source of ["1", "throw 1", "for (;;);", "2"]) await runner.run(source, [], STEPS);
  expect(open).toHaveBeenCalledTimes(1);
  for (const source of ["const a = []; for (;;) a.push(new Array(1000).fill(1));", "eval('('.repeat(20000))", "1"]) await runner.run(source, [], STEPS);
  expect(open.mock.calls.length).toBeGreaterThanOrEqual(2);
  open.mockRestore();
});
