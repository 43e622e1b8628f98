import { beforeAll, expect, test } from "vitest";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import type { Checkpoint } from "#engine/checkpoint.ts";
import { PRESETS, parseRunConfig, setPath, type RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { RECIPE_IDS, withRecipe } from "#run/recipe.ts";
import { withArena } from "#trainer/arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { networksOf } from "#trainer/scorer/open.ts";
import { train } from "#trainer/train.ts";
import { checkpointFor } from "../../../src/cli/host.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";

const TINY: RunConfig = {
  ...PRESETS["refund-desk"], updates: 2, evaluation: { every: 2, tasks: 1, trials: 1 },
  algorithm: { ...PRESETS["refund-desk"].algorithm, groupSize: 4, groupsPerUpdate: 4 },
};
/** What costs nothing beside the trajectories. */
const FREE = Object.values(CREDIT_ASSIGNERS).filter(({ needs }) => needs.length === 0).map(({ id }): string => id);

let base: Checkpoint | undefined;
beforeAll(async () => {
  base = await checkpointFor("base", TINY.preset);
});

async function eventsOf(config: RunConfig): Promise<readonly RunEvent[]> {
  const executor = await wasmExecutor("simd128");
  return withArena(config, async (arena) => {
    const policy = openPolicy(executor, config, arena, base);
    const networks = await networksOf(config, arena, executor, policy);
    const events: RunEvent[] = [];
    for await (const event of train(config, { arena, policy, networks, now: () => 0, gate: () => Promise.resolve() })) events.push(event);
    networks.dispose();
    policy.dispose();
    return events;
  });
}

/** Two updates that learn something finite, and rows that can be drawn. */
function expectTwoUpdates(events: readonly RunEvent[], { algorithm: { credit, groupSize } }: RunConfig): void {
  const prints = events.flatMap((event) => (event.type === "run-started" || event.type === "checkpoint" ? [event.fingerprint] : []));
  expect(prints).toHaveLength(2);
  expect(prints[1]).not.toBe(prints[0]);
  const updates = events.flatMap((event) => (event.type === "update" ? [event.metrics] : []));
  expect(updates).toHaveLength(2);
  for (const { loss, gradNorm, extraSteps, extraTokens } of updates) {
    expect([loss, gradNorm].every((value) => value !== null && Number.isFinite(value))).toBe(true);
    expect(extraTokens > 0).toBe(!FREE.includes(credit.id));
    expect(extraSteps > 0).toBe(["truth", "dial", "branching"].includes(credit.id));
  }
  for (const event of events) {
    if (event.type !== "group") continue;
    const [trained] = event.group.credits;
    expect(trained?.config).toEqual(credit);
    expect(event.group.members).toHaveLength(groupSize);
    for (const row of event.group.credits) {
      expect(row.credits.map(({ length }) => length)).toEqual(event.group.members.map(({ turns }) => turns.length));
      expect(row.credits.flat().every(Number.isFinite)).toBe(true);
    }
    expect(trained?.credits).toEqual(event.group.members.map(({ turns }) => turns.map(({ credit: paid }) => paid)));
  }
  expect(events.at(-1)?.type).toBe("run-finished");
}

test.each(Object.keys(CREDIT_ASSIGNERS))("train --set algorithm.credit=%s", async (id) => {
  const config = parseRunConfig(setPath(TINY, "algorithm.credit", id));
  expectTwoUpdates(await eventsOf(config), config);
});

test.each(RECIPE_IDS)("train --recipe %s", async (id) => {
  const recipe = withRecipe(TINY, id);
  const config = parseRunConfig({ ...recipe, algorithm: { ...recipe.algorithm, groupSize: 4, groupsPerUpdate: 4 } });
  expectTwoUpdates(await eventsOf(config), config);
});
