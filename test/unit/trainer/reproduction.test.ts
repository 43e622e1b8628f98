import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fingerprint } from "#core/json.ts";
import type { Executor } from "#engine/executor.ts";
import { marksOf, type Evidence } from "#run/evidence.ts";
import { markUpdates, shortFingerprint } from "#run/fingerprint.ts";
import { reproduction } from "#run/reproduction.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { withArena } from "#trainer/arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { train } from "#trainer/train.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { SMALL_RUN } from "./runs.ts";

/** Marks stand at every second update. */
const LONG: RunConfig = {
  ...SMALL_RUN, updates: 64, algorithm: { ...SMALL_RUN.algorithm, groupSize: 4, groupsPerUpdate: 4, minibatches: 1 },
  policy: { ...SMALL_RUN.policy, layers: 1 }, evaluation: { every: 5000, tasks: 1, trials: 1 },
};
const PER_UPDATE = 16;

type Marks = Omit<Evidence, "trajectories">;

/** @param spoilt after which update one weight gets the next number */
async function marksOn(executor: Executor, config: RunConfig, spoilt = 0): Promise<Marks> {
  return withArena(config, async (arena) => {
    const policy = openPolicy(executor, config, arena, undefined);
    const events: RunEvent[] = [];
    for await (const event of train(config, { arena, policy, now: () => 0, gate: () => Promise.resolve() })) {
      events.push(event);
      if (event.type === "update" && event.update === spoilt) {
        const weights = await policy.snapshot();
        const bits = new Uint32Array(weights.buffer);
        bits[1234] = (bits[1234] ?? 0) ^ 1;
        policy.load(weights);
      }
      if (event.type === "update" && event.update === config.updates) break;
    }
    policy.dispose();
    const marks = marksOf(events);
    if (marks === null) throw new Error("the run has no update");
    return marks;
  });
}

describe("marks", () => {
  test("are 32, evenly spaced, the last update among them; all updates of a short run", () => {
    expect(markUpdates(3)).toEqual([1, 2, 3]);
    for (const updates of [32, 33, 40, 100, 250, 5000]) {
      const marks = markUpdates(updates);
      expect(marks).toHaveLength(32);
      expect(marks.at(-1)).toBe(updates);
      const steps = marks.map((mark, index) => mark - (marks[index - 1] ?? 0));
      expect(Math.min(...steps)).toBeGreaterThanOrEqual(Math.floor(updates / 32));
      expect(Math.max(...steps)).toBeLessThanOrEqual(Math.ceil(updates / 32));
    }
  });

  test("any bit of any weight changes the 16 bits", () => {
    const weights = Float32Array.from({ length: 5000 }, (_, index) => Math.sin(index));
    const whole = shortFingerprint(fingerprint(weights));
    let alike = 0;
    fc.assert(
      fc.property(fc.nat(4999), fc.nat(31), (at, bit) => {
        const changed = Float32Array.from(weights);
        const bits = new Uint32Array(changed.buffer);
        bits[at] = ((bits[at] ?? 0) ^ (1 << bit)) >>> 0;
        if (shortFingerprint(fingerprint(changed)) === whole) alike += 1;
      }),
      { numRuns: 2000, seed: 1 },
    );
    // By chance one in 65,536.
    expect(alike).toBeLessThanOrEqual(1);
  });
});

describe("a run that is made again", () => {
  test("is the same in simd128; one weight's last bit changed is told in its interval", async () => {
    const recorded = await marksOn(await wasmExecutor("simd128"), LONG);
    expect(recorded.marks.map(({ update }) => update)).toEqual(markUpdates(64));
    // It learns, so that marks differ from each other.
    expect(new Set(recorded.marks.map(({ hash }) => hash)).size).toBeGreaterThan(28);
    expect(reproduction(recorded, await marksOn(await wasmExecutor("simd128"), LONG), PER_UPDATE)).toEqual({ kind: "same", until: 64, isWhole: true });
    expect(reproduction(recorded, await marksOn(await wasmExecutor("simd128"), LONG, 37), PER_UPDATE)).toEqual({ kind: "diverged", after: 36, by: 38, what: "bits" });
    expect(reproduction(recorded, await marksOn(await wasmExecutor("simd128"), LONG, 1), PER_UPDATE)).toEqual({ kind: "diverged", after: 0, by: 2, what: "bits" });
    // As far as it has come, and a run that starts from other weights.
    expect(reproduction(recorded, { ...recorded, marks: recorded.marks.slice(0, 5) }, PER_UPDATE)).toEqual({ kind: "same", until: 10, isWhole: false });
    expect(reproduction(recorded, { ...recorded, marks: [] }, PER_UPDATE)).toEqual({ kind: "waiting" });
    expect(reproduction(recorded, await marksOn(await wasmExecutor("simd128"), { ...LONG, seed: 12 }), PER_UPDATE)).toEqual({ kind: "diverged", after: 0, by: 0, what: "bits" });
  }, 60_000);

  test("in another arithmetic is within tolerance, and diverged where it learns otherwise", async () => {
    const relaxed = await marksOn(await wasmExecutor("relaxed"), LONG);
    expect(relaxed.arithmetic).toBe("relaxed");
    const own = await marksOn(await wasmExecutor("simd128"), LONG);
    const verdict = reproduction(relaxed, own, PER_UPDATE);
    expect(verdict).toMatchObject({ kind: "within", until: 64, isWhole: true });
    const faster = { ...LONG, algorithm: { ...LONG.algorithm, learningRate: LONG.algorithm.learningRate * 2 } };
    expect(reproduction(relaxed, await marksOn(await wasmExecutor("simd128"), faster), PER_UPDATE)).toMatchObject({ kind: "diverged", what: "curve" });
  }, 60_000);

  test("whose curve alone goes another way is diverged there", () => {
    const marks = markUpdates(64).map((update) => ({ update, hash: update, drift: 1, success: 0.5 }));
    const recorded: Marks = { arithmetic: "webgpu", start: 7, update: 64, marks };
    const other = (shift: number): Marks => ({ ...recorded, marks: marks.map((mark) => ({ ...mark, hash: mark.hash + 1, success: mark.update > 40 ? 0.5 + shift : 0.5 })) });
    expect(reproduction(recorded, other(0.01), 256)).toMatchObject({ kind: "within" });
    expect(reproduction(recorded, other(-0.2), 256)).toEqual({ kind: "diverged", after: 40, by: 42, what: "curve" });
    // Few trajectories say less.
    expect(reproduction(recorded, other(-0.2), 8)).toMatchObject({ kind: "within" });
    // Bits that agree need no tolerance, whatever the arithmetic.
    expect(reproduction(recorded, recorded, 256)).toEqual({ kind: "same", until: 64, isWhole: true });
  });
});
