import fc from "fast-check";
import { expect, test } from "vitest";
import { assignCredit } from "#algorithms/credit/implementations.ts";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import type { CreditConfig } from "#algorithms/credit/registry.ts";
import type { Credit, Scored, ScoredGroup } from "#core/credit.ts";
import { createRng } from "#core/rng.ts";
import { groupOf, memberOf } from "./trajectories.ts";
import type { MemberSketch, TurnSketch } from "./trajectories.ts";

type Id = CreditConfig["id"];
const IDS = Object.keys(CREDIT_ASSIGNERS) as Id[];
const rng = createRng(1);

/** Every scheme with its defaults, and with settings that take another way through its formula. */
const VARIANTS: Partial<Record<Id, readonly object[]>> = {
  flat: [{ std: "none" }, { std: "sample", leaveOneOut: true }],
  reinforce: [{ baseline: "none" }, { std: "sample" }],
  "reinforce-plus-plus": [{ gamma: 0.9 }],
  process: [{ centring: "pooled", std: "none" }, { centring: "none" }, { gamma: 0.9, std: "sample" }],
  potential: [{ centring: "pooled" }],
  gigpo: [{ gamma: 1, std: "none" }, { episodeStatistics: "perTurn", std: "sample" }],
  hgpo: [{ gamma: 1, std: "none", historyLength: 1 }],
  critic: [{ step: "token" }, { whiten: false, lambda: 1 }, { atBudget: "bootstrap" }],
  bilevel: [{ atBudget: "bootstrap" }],
  branching: [{ whiten: false }],
  istar: [{ form: "asReleased" }, { normalisation: "none", std: "sample" }],
  prime: [{ accuracyLow: 0, accuracyHigh: 1 }],
};
const CONFIGS = IDS.flatMap((id) =>
  [{}, ...(VARIANTS[id] ?? [])].map((change): [string, CreditConfig] => [`${id} ${JSON.stringify(change)}`, { id, ...CREDIT_ASSIGNERS[id].defaults, ...change } as CreditConfig]));
const where = (accept: (config: CreditConfig) => boolean): [string, CreditConfig][] => CONFIGS.filter(([, config]) => accept(config));

const turn: fc.Arbitrary<TurnSketch> = fc.record({
  sampled: fc.integer({ min: 1, max: 3 }), reward: fc.constantFrom(-0.25, 0, 0.5), anchor: fc.constantFrom("a", "b"),
  kind: fc.constantFrom("tool", "reply", "malformed"), reachesGoal: fc.boolean(),
});
const sketch: fc.Arbitrary<MemberSketch> = fc.record({
  turns: fc.array(turn, { minLength: 0, maxLength: 4 }), terminal: fc.constantFrom(0, 0.5, 1), ending: fc.constantFrom("terminated", "truncated"),
  split: fc.boolean(), seed: fc.integer({ min: 0, max: 1000 }),
});
const batch = fc.array(fc.array(sketch, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 });
const groupsOf = (sketches: readonly (readonly MemberSketch[])[], read = 1, unread = NaN): ScoredGroup[] =>
  sketches.map((members, group) => groupOf(members.map((member, index) => memberOf(member, 10 * group + index, read, unread)), `g${group}`));

/** What a trajectory's turns and sampled tokens get; what stands elsewhere must be 0. */
function paid({ trajectory: { turns, sequences } }: Scored, credit: Credit): number[] {
  if ("perTurn" in credit) {
    expect(credit.perTurn.length).toBe(turns.length);
    return [...credit.perTurn];
  }
  expect(credit.perToken.map(({ length }) => length)).toEqual(sequences.map(({ tokens }) => tokens.length));
  const inTurns = sequences.map(({ tokens }) => new Set<number>(tokens.keys()));
  const values = turns.flatMap(({ sequence, start, end }) => {
    for (let index = start; index < end; index += 1) inTurns[sequence]?.delete(index);
    return [...(credit.perToken[sequence] as Float32Array).subarray(start, end)];
  });
  for (const [sequence, rest] of inTurns.entries()) for (const index of rest) expect(credit.perToken[sequence]?.[index]).toBe(0);
  return values;
}
const creditsOf = (groups: readonly ScoredGroup[], config: CreditConfig): number[][][] =>
  assignCredit(groups, config, rng).map((credits, group) => credits.map((credit, member) => paid(groups[group]?.members[member] as Scored, credit)));
function expectClose(got: readonly number[][][], expected: readonly number[][][], tolerance = 2e-4): void {
  expect(got.map((group) => group.map((member) => member.length))).toEqual(expected.map((group) => group.map((member) => member.length)));
  const [left, right] = [got.flat(2), expected.flat(2)];
  for (const [index, value] of left.entries()) expect(Math.abs(value - (right[index] as number))).toBeLessThanOrEqual(tolerance * (1 + Math.abs(value)));
}
const always = (property: Parameters<typeof fc.assert>[0]): void => void fc.assert(property, { numRuns: 20 });

test.each(CONFIGS)("%s: finite, pure, and the same twice", (_, config) => {
  always(fc.property(batch, (sketches) => {
    const groups = groupsOf(sketches);
    const before = structuredClone(groups);
    const credits = creditsOf(groups, config);
    expect(credits.flat(2).every(Number.isFinite)).toBe(true);
    expect(groups).toEqual(before);
    expect(creditsOf(groups, config)).toEqual(credits);
  }));
});

test.each(where(({ id }) => id !== "random"))("%s: members may be permuted", (_, config) => {
  always(fc.property(batch, (sketches) => {
    const groups = groupsOf(sketches);
    const turned = groups.map((group) => ({ ...group, members: group.members.toReversed() }));
    expectClose(creditsOf(turned, config).map((group) => group.toReversed()), creditsOf(groups, config));
  }));
});

test.each(CONFIGS)("%s: what was only read changes nothing, neither how much of it nor what stands there", (_, config) => {
  always(fc.property(batch, fc.constantFrom(0, 3), fc.constantFrom(NaN, 1e30, -1e30), (sketches, read, unread) => {
    expect(creditsOf(groupsOf(sketches, read, unread), config)).toEqual(creditsOf(groupsOf(sketches), config));
  }));
});

test.each(CONFIGS)("%s: a failed rollout gets 0 and does not change the others", (_, config) => {
  always(fc.property(batch, sketch, (sketches, lost) => {
    const groups = groupsOf(sketches);
    const failed = memberOf({ ...lost, ending: "failed", terminal: NaN }, 99);
    const beside = groups.map((group) => ({ ...group, members: [...group.members, { ...failed, rewards: { ...failed.rewards, perTurn: failed.rewards.perTurn.map(() => NaN) } }] }));
    const credits = creditsOf(beside, config);
    expect(credits.map((group) => group.slice(0, -1))).toEqual(creditsOf(groups, config));
    if (config.id !== "random") for (const group of credits) expect(group.at(-1)?.every((value) => value === 0)).toBe(true);
  }));
});

/** Of these the mean or the deviation is over the batch; the others compare a group with itself alone. */
const BATCHED: readonly Id[] = ["reinforce", "reinforce-plus-plus", "reinforce-plus-plus-baseline", "critic", "bilevel", "branching", "istar", "prime"];
test.each(where(({ id }) => !BATCHED.includes(id)))("%s: groups are compared with themselves alone", (_, config) => {
  always(fc.property(batch, (sketches) => {
    const groups = groupsOf(sketches);
    expect(creditsOf(groups, config)).toEqual(groups.flatMap((group) => creditsOf([group], config)));
  }));
});

/** Credit under these does not depend on where rewards have their zero. */
const CENTRED: readonly [string, CreditConfig][] = where((config) => {
  switch (config.id) {
    case "flat": case "leave-one-out": case "reinforce-plus-plus-baseline": case "mt-grpo": case "hierarchical":
    case "istar": case "truth": case "dial": case "random": return true;
    case "reinforce": return config.baseline === "mean";
    case "reinforce-plus-plus": return config.gamma === 1;
    // The band counts successes: what is paid at the end.
    case "prime": return config.accuracyLow === 0 && config.accuracyHigh === 1;
    case "process": case "potential": return config.gamma === 1 && config.centring !== "none";
    case "gigpo": case "hgpo": return config.gamma === 1;
    default: return false;
  }
});
test.each(CENTRED)("%s: the same terminal reward for everybody changes nothing", (_, config) => {
  always(fc.property(batch, fc.constantFrom(-2, 1), (sketches, shift) => {
    const busy = sketches.map((members) => members.filter(({ turns }) => turns.length > 0)).filter((members) => members.length > 0);
    const shifted = busy.map((members) => members.map((member) => ({ ...member, terminal: member.terminal + shift })));
    expectClose(creditsOf(groupsOf(shifted), config), creditsOf(groupsOf(busy), config));
  }));
});

/** Two that saw and did the same, up to who won. */
const twins = (turns: number): MemberSketch[] => [1, 0].map((terminal) => ({
  turns: Array.from({ length: turns }, (_, index) => ({ sampled: 2, reward: 0, anchor: `${index}`, kind: "tool" as const, reachesGoal: false })),
  terminal, ending: "terminated", split: false, seed: 5,
}));
test.each(where(({ id }) => !["random", "truth", "branching"].includes(id)))("%s: the winner is paid, the loser charged", (_, config) => {
  const [group] = creditsOf(groupsOf([twins(3)]), config);
  const sums = (group as number[][]).map((values) => values.reduce((sum, value) => sum + value, 0));
  expect(sums[0]).toBeGreaterThan(sums[1] as number);
});

/** Compare with others alone; a discount per token tells a turn's own tokens apart. */
const COMPARING = where((config) => {
  if (config.id === "reinforce") return config.baseline === "mean";
  if (config.id === "reinforce-plus-plus") return config.gamma === 1;
  if (config.id === "process") return config.centring !== "none";
  return !["random", "truth", "dial", "branching", "critic", "bilevel", "istar", "prime"].includes(config.id);
});
test.each(COMPARING)("%s: equal trajectories tell nothing", (_, config) => {
  const [winner] = twins(1) as [MemberSketch];
  expect(creditsOf(groupsOf([[winner, winner, winner]]), config).flat(2).every((value) => value === 0)).toBe(true);
});

test("random credit is +1 or -1, evenly, by place", () => {
  const credits = creditsOf(groupsOf(Array.from({ length: 40 }, () => twins(5))), { id: "random" }).flat(2);
  expect(new Set(credits)).toEqual(new Set([1, -1]));
  expect(Math.abs(credits.reduce((sum, value) => sum + value, 0))).toBeLessThan(60);
});
