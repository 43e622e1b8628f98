import * as v from "valibot";
import { expect, test } from "vitest";
import { scoreGroups } from "#algorithms/rewards/implementations.ts";
import { REWARD_SOURCES } from "#algorithms/rewards/registry.ts";
import type { RewardConfig } from "#algorithms/rewards/registry.ts";
import type { Judged, JudgedGroup } from "#core/credit.ts";
import { ConfigError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import { judged, memberOf } from "./trajectories.ts";

const rng = createRng(1);
const turns = (count: number) => [Array.from({ length: count }, () => ({ read: 1, sampled: 1 }))];
const groups = [
  { groupId: "a", members: [judged({ sequences: turns(2), success: true }), judged({ sequences: turns(1), ending: "truncated" })] },
  { groupId: "b", members: [judged({ sequences: turns(3), success: true, ending: "failed" })] },
];
/** 1, 2, … turn by turn. */
const scoredByModel = groups.map(({ groupId, members }) => ({
  groupId, members: members.map((member) => ({ ...member, modelScores: Float32Array.from(member.trajectory.turns, (_, turn) => turn + 1) })),
}));
const terminals = async (check: string): Promise<number[][]> =>
  (await scoreGroups(groups, { id: "verifiable", check }, rng)).map((group) => group.map(({ terminal }) => terminal));

test("verifiable pays success, or the named check, once at the end", async () => {
  expect(await terminals("success")).toEqual([[1, 0], [0]]);
  expect(await terminals("polite")).toEqual([[1, 1], [0]]);
  expect(await terminals("naive")).toEqual([[0, 0], [0]]);
  const rewards = await scoreGroups(groups, { id: "verifiable", check: "success" }, rng);
  expect(rewards.map((group) => group.map(({ perTurn }) => [...perTurn]))).toEqual([[[0, 0], [0]], [[0, 0, 0]]]);
});

test("an unknown check names those there are", () => {
  const call = (): unknown => scoreGroups(groups, { id: "verifiable", check: "toString" }, rng);
  expect(call).toThrow(ConfigError);
  expect(call).toThrow('reward.check is "toString"; this environment knows success, polite, naive');
});

const configOf = <K extends RewardConfig["id"]>(id: K, change: object = {}): RewardConfig => ({ id, ...REWARD_SOURCES[id].defaults, ...change }) as RewardConfig;
const many = (success: boolean, groupsOf = 40): JudgedGroup[] =>
  Array.from({ length: groupsOf }, (_, group) => ({ groupId: `${group}`, members: Array.from({ length: 5 }, () => judged({ sequences: turns(1), success })) }));
const meanOf = async (groupsOf: readonly JudgedGroup[], config: RewardConfig): Promise<number> => {
  const terminal = (await scoreGroups(groupsOf, config, rng)).flat().map((reward) => reward.terminal);
  expect(terminal.every((value) => value === 0 || value === 1)).toBe(true);
  return terminal.reduce((sum, value) => sum + value, 0) / terminal.length;
};

test("shaped pays turns for sub-goals and charges mistakes, unreadable actions and length, beside the verdict", async () => {
  const made = memberOf({
    turns: [
      { sampled: 2, reward: 0, anchor: "", kind: "tool", reachesGoal: true }, { sampled: 3, reward: 0, anchor: "", kind: "malformed", reachesGoal: false },
      { sampled: 1, reward: 0, anchor: "", kind: "reply", reachesGoal: false },
    ],
    terminal: 0, ending: "terminated", split: false, seed: 1,
  });
  const member: Judged = { ...made, verdict: { ...made.verdict, success: true } };
  const of = async (change: object): Promise<number[]> => {
    const [[paid] = []] = await scoreGroups([{ groupId: "g", members: [member] }], configOf("shaped", change), rng);
    return [...(paid?.perTurn ?? []), paid?.terminal ?? NaN].map((value) => Math.round(value * 1e6) / 1e6 + 0);
  };
  expect(await of({})).toEqual([1, -1.1, -1, 1]);
  expect(await of({ eventScale: 0.5, formatPenalty: 0.25 })).toEqual([0.5, -0.75, -0.5, 1]);
  expect(await of({ eventScale: 0, formatPenalty: 0, check: "naive" })).toEqual([0, 0, 0, 0]);
  const overlong = { eventScale: 0, formatPenalty: 0, overlongFactor: 0.5, overlongBuffer: 4 };
  expect(await of({ ...overlong, overlongLength: 8 })).toEqual([0, 0, 0, 0.75]);
  expect(await of({ ...overlong, overlongLength: 5 })).toEqual([0, 0, 0, 0.5]);
});

test("a noisy judge errs at its two rates; without noise it is the verdict", async () => {
  const config = configOf("noisy-judge", { falsePositive: 0.1, falseNegative: 0.4 });
  expect(Math.abs((await meanOf(many(false), config)) - 0.1)).toBeLessThan(0.06);
  expect(Math.abs((await meanOf(many(true), config)) - 0.6)).toBeLessThan(0.1);
  const sharp = configOf("noisy-judge", { falsePositive: 0, falseNegative: 0 });
  expect([await meanOf(many(true), sharp), await meanOf(many(false), sharp)]).toEqual([1, 0]);
});

test("a coin flip pays at its rate, whatever happened, and the same by place", async () => {
  for (const rate of [0, 0.5, 1]) {
    const won = await scoreGroups(many(true), configOf("coin-flip", { rate }), rng);
    expect(await scoreGroups(many(false), configOf("coin-flip", { rate }), rng)).toEqual(won);
    expect(Math.abs((await meanOf(many(true), configOf("coin-flip", { rate }))) - rate)).toBeLessThanOrEqual(rate === 0.5 ? 0.1 : 0);
  }
});

test("sources stand in the order of trust, and reward every turn of every member", async () => {
  const order = ["verifiable", "shaped", "learned", "implicit", "control"];
  const trust = Object.values(REWARD_SOURCES).map((source) => order.indexOf(source.trust));
  expect(trust).toEqual(trust.toSorted((a, b) => a - b));
  for (const id of Object.keys(REWARD_SOURCES) as RewardConfig["id"][]) {
    const rewards = await scoreGroups(scoredByModel, configOf(id), rng);
    expect(rewards.map((group) => group.map(({ perTurn }) => perTurn.length))).toEqual([[2, 1], [3]]);
    expect(await scoreGroups(scoredByModel, configOf(id), rng)).toEqual(rewards);
  }
});

test("a learned reward is the model's score of the whole trajectory, an implicit one what it says of each turn; without a model both say so", async () => {
  const of = async (id: "learned" | "implicit") => (await scoreGroups(scoredByModel, configOf(id), rng)).map((group) => group.map(({ perTurn, terminal }) => [[...perTurn], terminal]));
  expect(await of("learned")).toEqual([[[[0, 0], 2], [[0], 1]], [[[0, 0, 0], 3]]]);
  expect(await of("implicit")).toEqual([[[[1, 2], 0], [[1], 0]], [[[1, 2, 3], 0]]]);
  for (const id of ["learned", "implicit"] as const) expect(() => scoreGroups(groups, configOf(id), rng)).toThrow(ConfigError);
});

test("entries carry their key as id, and defaults that their schema takes", () => {
  for (const [key, { id, schema, defaults }] of Object.entries(REWARD_SOURCES)) {
    expect(id).toBe(key);
    expect(v.parse(schema, defaults)).toEqual(defaults);
  }
});

test("a bonus is paid for every answered call of the paid tool, or for the first alone; the verdict besides", async () => {
  const made = memberOf({ turns: Array.from({ length: 5 }, () => ({ sampled: 1, reward: 0, anchor: "", kind: "tool" as const, reachesGoal: false })), terminal: 0, ending: "terminated", split: false, seed: 1 });
  const names = ["peek", "peek", "poke", "peek", "peek"];
  const calls = made.trajectory.turns.map((turn, index) => ({
    ...turn, action: { kind: "tool" as const, name: names[index] ?? "", args: {} }, observation: { kind: index === 0 ? "error" : "answer", content: {} },
  }));
  const member: Judged = { trajectory: { ...made.trajectory, turns: calls }, verdict: { ...made.verdict, success: true } };
  const of = async (change: object): Promise<number[]> => {
    const [[paid] = []] = await scoreGroups([{ groupId: "g", members: [member] }], configOf("call-bonus", { tool: "peek", ...change }), rng);
    return [...(paid?.perTurn ?? []), paid?.terminal ?? NaN].map((value) => Math.round(value * 1e6) / 1e6);
  };
  expect(await of({})).toEqual([0, 0.2, 0, 0.2, 0.2, 1]);
  expect(await of({ once: true, bonus: 0.5 })).toEqual([0, 0.5, 0, 0, 0, 1]);
  expect(await of({ tool: "nothing", check: "naive" })).toEqual([0, 0, 0, 0, 0, 0]);
});
