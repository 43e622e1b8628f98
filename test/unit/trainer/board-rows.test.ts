import { expect, test } from "vitest";
import { assignCredit } from "#algorithms/credit/implementations.ts";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import { createRng } from "#core/rng.ts";
import { withArena } from "#trainer/arena.ts";
import { boardRows, FREE_SCHEMES, rewardedFor } from "#trainer/board-rows.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { rollOut } from "#trainer/roll-out.ts";
import { NO_NETWORKS } from "#trainer/scorer/open.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { SMALL_RUN } from "./runs.ts";

const rng = createRng(5);
const rolled = await withArena(SMALL_RUN, async (arena) => {
  const policy = openPolicy(await wasmExecutor("simd128"), SMALL_RUN, arena, undefined);
  return rollOut(SMALL_RUN, { arena, policy, networks: NO_NETWORKS, gate: () => Promise.resolve() }, 1, createRng(1));
});
const flat = { id: "flat", ...CREDIT_ASSIGNERS.flat.defaults } as const;
const paid = (credits: readonly (readonly number[])[]): readonly number[] => credits.flat().filter((value) => value !== 0);

test("the free rows of a group are those that the whole batch gives", async () => {
  let differing = 0;
  for (const [index, group] of rolled.groups.entries()) {
    const rows = await boardRows(group, rolled.credits[index] ?? [], flat, "verifiable", rng);
    expect(rows.map(({ id, reward }) => [id, reward])).toEqual([["flat", "verifiable"], ["process", "shaped"], ["gigpo", "verifiable"]]);
    for (const row of rows) {
      const rewarded = await rewardedFor(row.id, rolled.groups, "verifiable", rng);
      expect(row.reward).toBe(rewarded.reward);
      const whole = assignCredit(rewarded.groups, row.config, rng)[index] ?? [];
      expect(row.credits).toEqual(whole.map((credit) => ("perTurn" in credit ? [...credit.perTurn] : [])));
      differing += paid(row.credits).length;
    }
  }
  expect(differing).toBeGreaterThan(0);
});

test("a scheme that is trained with is shown once, under its own settings and the run's reward", async () => {
  const trained = { id: "process", ...CREDIT_ASSIGNERS.process.defaults, gamma: 0.5 } as const;
  const [group] = rolled.groups;
  const rows = group ? await boardRows(group, [], trained, "shaped", rng) : [];
  expect(rows.map(({ id, reward }) => [id, reward])).toEqual([["process", "shaped"], ["flat", "shaped"], ["gigpo", "shaped"]]);
  expect(rows[0]?.config).toEqual(trained);
  expect(FREE_SCHEMES.map(({ id }) => CREDIT_ASSIGNERS[id].needs)).toEqual([[], [], []]);
});

test("credit per token is summed over the turn", async () => {
  const trained = { id: "reinforce-plus-plus", ...CREDIT_ASSIGNERS["reinforce-plus-plus"].defaults } as const;
  const credits = assignCredit(rolled.groups, trained, rng);
  const [group, [first] = []] = [rolled.groups[0], credits[0]];
  if (!group || !first || !("perToken" in first)) throw new Error("credit per token is expected");
  const [row] = await boardRows(group, credits[0] ?? [], trained, "verifiable", rng);
  const [turn] = group.members[0]?.trajectory.turns ?? [];
  expect(row?.summed).toBe(true);
  expect(row?.credits[0]?.[0]).toBeCloseTo([...(first.perToken[0] ?? [])].slice(turn?.start, turn?.end).reduce((sum, value) => sum + value, 0), 6);
});
