import { beforeAll, describe, expect, test } from "vitest";
import { mulberry32 } from "#core/mulberry32.ts";
import { createRng } from "#core/rng.ts";
import { bootstrapInterval } from "#core/statistics.ts";
import { createRefundDesk } from "#environments/refund-desk/index.ts";
import { DEFAULTS } from "#environments/refund-desk/config.ts";
import { createToolLoop } from "#harness/tool-loop.ts";
import { measureTruth, QUICK_TRUTH, type MemberTruth, type TruthGroup } from "#trainer/truth.ts";
import { TablePolicy, type Logit } from "../fixtures/table-policy.ts";
import { playGroups, truthOptions } from "./truth-support.ts";

const environment = createRefundDesk();
/** Two orders at most, so that there are some hundred worlds instead of thousands. */
const CONFIG = { ...DEFAULTS, maxOrders: 2 };
const harness = createToolLoop(environment.tools, environment.words);
const { words } = harness.vocabulary;
const arena = {
  environment, harness, budget: { turns: 8, tokens: 128, retries: 3 }, constrained: true,
  worlds: (task: never, ...rest: [never, never, never, number]) => environment.worlds(CONFIG, task, ...rest),
};

/** What a context shows, looked at once for all its tokens. */
function look(context: Uint32Array) {
  const seen = Array.from(context, (id) => words[id] ?? "");
  const has = (sought: string): boolean => seen.includes(sought);
  return { seen, wanted: seen[3], listed: has("orders"), dated: has("shipped") || has("pending"), shipped: has("shipped"), asked: has("<user>"), done: has("refunded") || has("denied") };
}
const looks = new WeakMap<Uint32Array, ReturnType<typeof look>>();

/** A clerk of chance: knows the procedure by and large, seldom asks, and picks orders of the wanted item. */
const clerk: Logit = (context, token) => {
  const known = looks.get(context) ?? look(context);
  looks.set(context, known);
  const { seen, wanted, listed, dated, shipped, asked, done } = known;
  const word = words[token] ?? "";
  if (word.startsWith("#")) {
    const place = seen.indexOf(word);
    return (place > 0 ? 3 : 0) + (place > 0 && seen[place - 1] === wanted ? 1.5 : 0) + (seen.lastIndexOf(word) > place ? 1 : 0);
  }
  switch (word) {
    case "lookup_orders": return listed ? -1 : 2.5;
    case "check_ship_date": return listed && !dated ? 2 : 0;
    case "ask_customer": return asked ? -2 : 0.5;
    case "refund": return shipped && !done ? 2 : -1;
    case "deny": return dated && !done ? 1.5 : -0.5;
    case "finish": return done ? 4 : -1.5;
    default: return 0;
  }
};

describe("truth on the refund desk", () => {
  const policy = new TablePolicy(harness.automaton, clerk);
  const GROUPS = 50;
  const SIZE = 4;
  /** Of each group the sums over members: outcome − start, then luck by turn index (0 where a member was done). */
  const sums: number[][] = [];
  let groups: readonly TruthGroup<ReturnType<typeof environment.tasks>[number]>[] = [];
  let measured: readonly (readonly (MemberTruth | undefined)[])[] = [];

  beforeAll(async () => {
    groups = await playGroups(arena, policy, environment.tasks(CONFIG, "train", GROUPS, createRng(1)), SIZE, createRng(2));
    measured = await measureTruth(arena, policy, groups, truthOptions(3, { worlds: 8, maxNodes: 150, branchNodes: 100 }));
    for (const [group, { members }] of groups.entries()) {
      const row = Array.from({ length: 9 }, () => 0);
      for (const [member, { success }] of members.entries()) {
        const { start = 0, luck = new Float32Array() } = measured[group]?.[member]?.turns ?? {};
        row[0] = (row[0] ?? 0) + (success ? 1 : 0) - start;
        for (const [turn, value] of luck.entries()) row[turn + 1] = (row[turn + 1] ?? 0) + value;
      }
      sums.push(row);
    }
  }, 60_000);

  test("adds up to the outcome, and is exact only where all worlds are known", () => {
    for (const [group, { members }] of groups.entries()) {
      for (const [member, { success, trajectory }] of members.entries()) {
        const truth = measured[group]?.[member];
        const parts = [truth?.turns.start ?? 0, ...truth?.turns.skill ?? [], ...truth?.turns.luck ?? []];
        expect(parts.reduce((a, b) => a + b, 0)).toBeCloseTo(success ? 1 : 0, 5);
        expect(truth?.labels).toHaveLength(trajectory.turns.length);
        expect(truth?.labels[0]?.kind).toBe("branched");
        for (const { probability, halfWidth } of truth?.labels ?? []) if (probability > 0.98) expect(halfWidth).toBeLessThan(0.04);
      }
    }
    expect(measured.flat().flatMap((truth) => truth?.labels ?? []).some(({ kind }) => kind === "exact")).toBe(true);
  });

  // Nine intervals, so each at 99.5 %: all of them hold with about 95 %. Group sums, because members share a hidden world.
  test.each(Array.from({ length: 9 }, (_, index) => index))("over some hundred trajectories the mean is zero within its interval: %d (0 outcome − start, else luck of that turn)", (index) => {
    const { low, high } = bootstrapInterval(sums.map((row) => row[index] ?? 0), 2000, 0.995, mulberry32(index + 1));
    expect(low).toBeLessThanOrEqual(0);
    expect(high).toBeGreaterThanOrEqual(0);
  });

  test("the quick form is branched throughout and says how little it knows", async () => {
    const [group] = groups;
    if (!group) throw new Error("no group");
    const [quick] = await measureTruth(arena, policy, [group], truthOptions(4, QUICK_TRUTH));
    const labels = quick?.flatMap((truth) => truth?.labels ?? []) ?? [];
    expect(labels.length).toBeGreaterThan(4);
    for (const label of labels) expect(label).toMatchObject({ kind: "branched", worlds: 4 });
    expect(labels.some(({ halfWidth }) => halfWidth > 0.1)).toBe(true);
  });
});
