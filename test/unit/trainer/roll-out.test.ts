import { expect, test } from "vitest";
import { hasSignal, returnOf } from "#algorithms/returns.ts";
import { createRng } from "#core/rng.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { withArena } from "#trainer/arena.ts";
import { updateMetrics } from "#trainer/metrics.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { rollOut } from "#trainer/roll-out.ts";
import { NO_NETWORKS } from "#trainer/scorer/open.ts";
import { checkpointFor } from "../../../src/cli/host.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { digest, eventsOn, SMALL_RUN } from "./runs.ts";

const withAlgorithm = (changes: Partial<RunConfig["algorithm"]>): RunConfig => ({ ...SMALL_RUN, algorithm: { ...SMALL_RUN.algorithm, ...changes } });

/** One update's worth of the base policy, and its metrics without a step. */
async function rolledBy(config: RunConfig) {
  const base = { ...config, policy: { ...config.policy, width: 64, context: 128 } };
  const checkpoint = await checkpointFor("base", config.preset);
  return withArena(base, async (arena) => {
    const policy = openPolicy(await wasmExecutor("simd128"), base, arena, checkpoint);
    const rolled = await rollOut(base, { arena, policy, networks: NO_NETWORKS, gate: () => Promise.resolve() }, 7, createRng(3));
    policy.dispose();
    return { ...rolled, metrics: updateMetrics(rolled.sampled, rolled.groups.length, rolled.cost, [], 0) };
  });
}
const signal = ({ groups }: Awaited<ReturnType<typeof rolledBy>>): boolean[] => groups.map(({ members }) => hasSignal(members.map(returnOf)));

test("dynamic sampling puts groups with signal in the place of those without, on other tasks", async () => {
  // Groups of two are often equal.
  const settings = { groupSize: 2, groupsPerUpdate: 12 };
  const [plain, one, many] = [await rolledBy(withAlgorithm(settings)), await rolledBy(withAlgorithm({ ...settings, resampleRounds: 1 })), await rolledBy(withAlgorithm({ ...settings, resampleRounds: 10 }))];
  const informative = signal(plain).filter(Boolean).length;
  expect(informative).toBeGreaterThan(0);
  expect(informative).toBeLessThan(12);
  expect(plain.sampled).toHaveLength(12);
  // One round samples once what is missing; ten fill the batch.
  expect(one.sampled).toHaveLength(24 - informative);
  expect(one.groups.length).toBeLessThan(12);
  expect(signal(one).every(Boolean)).toBe(true);
  expect(many.groups).toHaveLength(12);
  expect(signal(many).every(Boolean)).toBe(true);
  // What had signal is kept as it was, in order; the new groups have names and tasks of their own.
  expect(many.groups.slice(0, informative)).toEqual(plain.groups.filter((_, index) => signal(plain)[index]));
  expect(new Set(many.sampled.map(({ scored }) => scored.groupId)).size).toBe(many.sampled.length);
  expect(many.groups.map(({ members }) => members[0]?.trajectory.taskId)).toEqual(many.tasks.map(({ id }) => id));
  expect(new Set(many.groups.slice(informative).map(({ members }) => members[0]?.trajectory.taskId)).size).toBeGreaterThan(1);
  // Every trajectory is counted, also those of which nothing is learnt.
  expect(many.metrics.trajectories).toBe(2 * many.sampled.length);
  expect(many.metrics.noSignalShare).toBeCloseTo(1 - 12 / many.sampled.length, 12);
});

test("where nothing ever has signal, the groups are those that were sampled first", async () => {
  const free = { ...withAlgorithm({ groupsPerUpdate: 3, groupSize: 2 }), from: "blank", harness: { ...SMALL_RUN.harness, constrained: false } };
  const rolled = async (config: RunConfig) => withArena(config, async (arena) => {
    const policy = openPolicy(await wasmExecutor("simd128"), config, arena, undefined);
    return rollOut(config, { arena, policy, networks: NO_NETWORKS, gate: () => Promise.resolve() }, 1, createRng(3));
  });
  const [plain, again] = [await rolled(free), await rolled({ ...free, algorithm: { ...free.algorithm, resampleRounds: 2 } })];
  expect(again.sampled).toHaveLength(9);
  expect(again.groups).toEqual(plain.groups);
});

// ---------------------------------------------------------------- learning from demonstrations

const imitating = (credit: RunConfig["algorithm"]["credit"]): RunConfig => withAlgorithm({ credit, objective: { id: "sft", aggregation: "tokenMean", entropyCoefficient: 0, klCoefficient: 0, klEstimator: "exact", valueCoefficient: 0 }, learningRate: 0.005, warmup: 0 });
const losses = (events: readonly RunEvent[]): (number | null)[] => events.flatMap((event) => (event.type === "update" ? [event.metrics.loss] : []));
const weights = (events: readonly RunEvent[]): string[] => events.flatMap((event) => (event.type === "checkpoint" ? [event.fingerprint] : []));

test("imitation learns from demonstrations, and from nothing that was sampled", async () => {
  const run = async (config: RunConfig): Promise<readonly RunEvent[]> => eventsOn(await wasmExecutor("simd128"), { ...config, updates: 12, evaluation: { every: 12, tasks: 2, trials: 1 } });
  const events = await run(imitating({ id: "flat", std: "population", eps: 1e-4, leaveOneOut: false }));
  const [first = 0, last = 0] = [losses(events)[0], losses(events).at(-1)].map((loss) => loss ?? Number.NaN);
  // A blank policy is near uniform over the vocabulary, as demonstrations are decoded freely.
  expect(first).toBeGreaterThan(2);
  expect(last).toBeLessThan(first - 1);
  const random = await run(imitating({ id: "random" }));
  expect(weights(random)).toEqual(weights(events));
  expect(losses(random)).toEqual(losses(events));
  expect(digest(random)).not.toEqual(digest(events));
});
