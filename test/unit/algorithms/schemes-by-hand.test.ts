import fc from "fast-check";
import { expect, test } from "vitest";
import { makeMinibatches } from "#algorithms/batch.ts";
import { batchBaselineAdvantage } from "#algorithms/credit/reinforce.ts";
import { branchValues } from "#algorithms/credit/branching.ts";
import { gaeTurns } from "#algorithms/credit/critic.ts";
import { istarAdvantages, istarLoss } from "#algorithms/credit/istar.ts";
import { potentialRewards } from "#algorithms/credit/potential.ts";
import { primeLoss } from "#algorithms/credit/prime.ts";
import { assignCredit } from "#algorithms/credit/implementations.ts";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import type { CreditConfig } from "#algorithms/credit/registry.ts";
import { truthSplit } from "#algorithms/credit/truth.ts";
import { bradleyTerryLoss } from "#algorithms/rewards/bradley-terry.ts";
import { discountedReturns } from "#algorithms/returns.ts";
import type { Scored } from "#core/credit.ts";
import { ConfigError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import { groupOf, memberOf, scored } from "./trajectories.ts";
import type { TurnSketch } from "./trajectories.ts";

const rng = createRng(1);
const turn = (change: Partial<TurnSketch> = {}): TurnSketch => ({ sampled: 1, reward: 0, anchor: "a", kind: "reply", reachesGoal: false, ...change });
const member = (turns: readonly TurnSketch[], terminal: number, more: Partial<Scored> = {}, ending: "terminated" | "truncated" = "terminated"): Scored =>
  ({ ...memberOf({ turns, terminal, ending, split: false, seed: 1 }), ...more });
const configOf = <K extends CreditConfig["id"]>(id: K, change: object = {}): CreditConfig => ({ id, ...CREDIT_ASSIGNERS[id].defaults, ...change }) as CreditConfig;
function expectClose(got: readonly number[], expected: readonly number[], tolerance = 1e-6): void {
  expect(got).toHaveLength(expected.length);
  for (const [index, value] of got.entries()) expect(Math.abs(value - (expected[index] as number))).toBeLessThan(tolerance);
}
const perTurn = (members: readonly Scored[], config: CreditConfig): number[][] =>
  (assignCredit([groupOf(members)], config, rng)[0] ?? []).map((credit) => ("perTurn" in credit ? [...credit.perTurn] : []));
function expectCredit(members: readonly Scored[], config: CreditConfig, expected: readonly (readonly number[])[], tolerance = 1e-6): void {
  for (const [index, values] of perTurn(members, config).entries()) expectClose(values, expected[index] as readonly number[], tolerance);
}
/** d loss / d values[index] by central differences. */
const differences = (values: readonly number[], loss: (values: number[]) => number, step = 1e-5): number[] =>
  values.map((_, index) => {
    const moved = (by: number): number => loss(values.map((value, other) => (other === index ? value + by : value)));
    return (moved(step) - moved(-step)) / (2 * step);
  });

test("MT-GRPO: the turns up to the first tool result get the turn's advantage too; who calls no tool is compared as a whole", () => {
  const tool = turn({ kind: "tool" });
  const members = [
    member([turn(), { ...tool, reward: 1 }, tool], 1),
    member([tool, turn()], 0),
    member([turn({ kind: "malformed" })], 0.5),
  ];
  // Turn rewards 1, 0, 0 and outcomes 1, 0, 0.5; as a whole 1.5, 0, 0.5, whose mean is 2/3 and sample deviation √(7/12).
  const [won, lost] = [2 / Math.sqrt(3), -1 / Math.sqrt(3)];
  expectCredit(members, configOf("mt-grpo", { coefficient: 0.5, eps: 0 }), [
    [1 + 0.5 * won, 1 + 0.5 * won, 1], [-1 + 0.5 * lost, -1], [-1 / 6 / Math.sqrt(7 / 12)],
  ]);
});

test("hierarchical: turns between two sub-goals are one sample, compared with those that started from the same sub-goals", () => {
  const goal = turn({ reachesGoal: true });
  const members = [member([turn(), goal, turn(), turn()], 1), member([goal, turn()], 0), member([turn()], 1)];
  expectCredit(members, configOf("hierarchical"), [[1 / 3, 1 / 3, 0.5, 0.5], [-2 / 3, -0.5], [1 / 3]]);
});

test("potential: progress is banked, and what is paid in all is the terminal reward", () => {
  expect(potentialRewards({ perTurn: Float32Array.of(0.5, 0, 0.25), terminal: 1 }, 1)).toEqual([0.5, 0, 0.5]);
  fc.assert(fc.property(fc.array(fc.constantFrom(-0.5, 0, 0.25, 1), { minLength: 1, maxLength: 6 }), fc.constantFrom(0, 1), fc.constantFrom(1, 0.5), (paid, terminal, gamma) => {
    const rewards = potentialRewards({ perTurn: Float32Array.from(paid), terminal }, gamma);
    expect((discountedReturns(rewards, gamma))[0]).toBeCloseTo(terminal * gamma ** (paid.length - 1), 10);
  }));
  const members = [member([turn({ reward: 0.5 }), turn()], 1), member([turn(), turn()], 1)];
  expectCredit(members, configOf("potential", { std: "none" }), [[0, -0.25], [0, 0.25]]);
});

test("process against its biased form: going on for a reward is charged when rewards are centred too early", () => {
  const members = [member([turn({ reward: 0 })], 0), member([turn(), turn({ reward: 0.5 })], 0)];
  expectCredit(members, configOf("process", { std: "none" }), [[-0.25], [0.25, 0]]);
  expectCredit(members, configOf("process-immediate", { std: "none" }), [[0], [0, 0]]);
});

test("the critic bootstraps a truncated episode, and only that", () => {
  const values = Float32Array.of(0.25, 0.5, 0.75);
  const config = configOf("critic", { gamma: 0.5, lambda: 1, whiten: false, atBudget: "bootstrap" });
  const two = [turn(), turn()];
  expectCredit([member(two, 1, { values })], config, [[0.5 - 0.25, 1 - 0.5]]);
  // The verdict at the limit is not paid beside the value that stands for it; where the limit is part of the task, it is all there is.
  expectCredit([member(two, 1, { values }, "truncated")], config, [[0.25 * 0.75 - 0.25, 0.5 * 0.75 - 0.5]]);
  expectCredit([member(two, 1, { values }, "truncated")], configOf("critic", { gamma: 0.5, lambda: 1, whiten: false, atBudget: "judged" }), [[0.5 - 0.25, 1 - 0.5]]);
  expectCredit([member(two, 0, { values }, "truncated")], config, [[0.25 * 0.75 - 0.25, 0.5 * 0.75 - 0.5]]);
  const cut = [groupOf([member(two, 0, { values }, "truncated")])];
  const credits = assignCredit(cut, config, rng);
  expect(credits[0]?.[0]?.targets).toEqual(Float32Array.of(0.1875, 0.375));
  const { batches } = makeMinibatches(cut, credits, 1);
  expect([...(batches[0]?.returns ?? [])]).toEqual([0, 0.1875, 0, 0.375]);
});

test("the critic per token, and in two levels, by hand", () => {
  const two = [turn({ sampled: 2 }), turn()];
  const tokenValues = [Float32Array.of(NaN, 0.5, 0.25, NaN, 0.75)];
  const made = member(two, 1, { values: Float32Array.of(0.5, 0.75, 9), tokenValues });
  const credit = (config: CreditConfig) => (assignCredit([groupOf([made])], config, rng)[0]?.[0] as { perToken: Float32Array[]; targets: Float32Array[] });
  const token = credit(configOf("critic", { step: "token", gamma: 0.5, lambda: 1, whiten: false }));
  expect([...(token.perToken[0] as Float32Array)]).toEqual([0, 0.25 - 0.5, 0.5 - 0.25, 0, 0.25]);
  expect([...(token.targets[0] as Float32Array)]).toEqual([0, 0.25, 0.5, 0, 1]);
  // Turn ends: 0.5·0.75 - 0.25 + 0.5·0.25 = 0.25 and 1 - 0.75; inside the first turn 0.25 - 0.5 + 0.25.
  const bilevel = credit(configOf("bilevel", { gamma: 1, lambda: 1, highGamma: 0.5 }));
  expect([...(bilevel.targets[0] as Float32Array)]).toEqual([0, 0.5, 0.5, 0, 1]);
  // Credit is what the targets exceed the values by, whitened.
  const spread = Math.sqrt(1 / 48 + 1e-8);
  expectClose([...(bilevel.perToken[0] as Float32Array)], [0, (0 - 1 / 6) / spread, (0.25 - 1 / 6) / spread, 0, (0.25 - 1 / 6) / spread]);
});

test("GAE: λ 1 without a critic is the discounted return, λ 0 the one-step error", () => {
  fc.assert(fc.property(fc.array(fc.constantFrom(-1, 0, 0.5), { minLength: 1, maxLength: 6 }), fc.constantFrom(1, 0.9), (rewards, gamma) => {
    const terminatedAfter = rewards.map((_, index) => (index === rewards.length - 1 ? 1 : 0));
    const chain = { rewards, values: rewards.map(() => 0), lastValue: NaN, terminatedAfter };
    expectClose(gaeTurns(chain, { gamma, lambda: 1 }).advantages, discountedReturns(rewards, gamma));
    const values = rewards.map((_, index) => index / 4);
    expectClose(gaeTurns({ ...chain, values }, { gamma, lambda: 0 }).advantages, rewards.map((reward, index) => reward + gamma * (values[index + 1] ?? 0) - index / 4));
  }));
});

test("branching: advantages sum to the return minus the start value; a turn without branches is filled in from behind", () => {
  const made = member([turn({ reward: 0.5 }), turn(), turn()], 1, { branchReturns: [Float32Array.of(1, 0), Float32Array.of(1, 1), Float32Array.of()] });
  expectCredit([made], configOf("branching", { whiten: false }), [[0.5 + 1 - 0.5, 0, 0]]);
  expect(branchValues([[1, 0], [], [1, 1]], [0, 0.5, 0]).values).toEqual([0.5, 1.5, 1]);
  fc.assert(fc.property(fc.array(fc.tuple(fc.constantFrom(0, 0.5), fc.array(fc.constantFrom(0, 1), { maxLength: 4 })), { minLength: 1, maxLength: 5 }), (turns) => {
    const rewards = turns.map(([reward]) => reward);
    const { values, advantages } = branchValues(turns.map(([, returns]) => returns), rewards);
    expect(advantages.reduce((sum, value) => sum + value, 0)).toBeCloseTo(rewards.reduce<number>((sum, value) => sum + value, 0) - (values[0] as number), 10);
  }));
});

test("truth pays skill; start, skill and luck add up to the outcome; the dial goes from flat to truth", () => {
  fc.assert(fc.property(fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 6 }), fc.constantFrom(0, 1), (pairs, outcome) => {
    const { start, skill, luck } = truthSplit(pairs.map(([value]) => value), pairs.map(([, action]) => action), outcome);
    expect(start + [...skill, ...luck].reduce((sum, value) => sum + value, 0)).toBeCloseTo(outcome, 10);
    expectClose(skill, pairs.map(([value, action]) => action - value), 1e-12);
  }));
  const truth = { start: 0.5, skill: Float32Array.of(0.25, -0.5), luck: Float32Array.of(0.5, 0.25), halfWidth: new Float32Array(2) };
  const members = [member([turn(), turn()], 1, { truth }), member([turn(), turn()], 0, { truth })];
  expectCredit(members, configOf("truth"), [[0.25, -0.5], [0.25, -0.5]]);
  expectCredit(members, configOf("dial", { share: 0 }), [[0.5, 0.5], [-0.5, -0.5]]);
  expectCredit(members, configOf("dial", { share: 0.5 }), [[0.375, 0], [-0.125, -0.5]]);
  expectCredit(members, configOf("dial", { share: 1 }), [[0.25, -0.5], [0.25, -0.5]]);
});

/** One token a turn, with the given scores over the sampling policy. */
const withScores = (scores: readonly number[], terminal: number): Scored => {
  const made = member(scores.map(() => turn()), terminal);
  const [sequence] = made.trajectory.sequences;
  if (sequence === undefined) throw new Error("no sequence");
  const tokenScores = [sequence.behaviorLogprobs.slice()];
  for (const [index, { start }] of made.trajectory.turns.entries()) (tokenScores[0] as Float32Array)[start] = (sequence.behaviorLogprobs[start] as number) + (scores[index] as number);
  return { ...made, tokenScores };
};
test("iStar: the step scores are the scorer's log ratio to what sampled, scaled by the largest of the batch", () => {
  const members = [withScores([1, -2], 1), withScores([0], 0)];
  expectCredit(members, configOf("istar", { eps: 0 }), [[1 + 0.5 + 1 / 6, 1 - 1 + 1 / 6], [-1 + 0 + 1 / 6]], 1e-5);
  expectCredit(members, configOf("istar", { eps: 0, form: "asReleased" }), [[1 + 2 * (0.5 - 0.25), 1 + 2 * (-1 - 0.25)], [-1 + 2 * (0 - 0.25)]], 1e-5);
  expectCredit(members, configOf("istar", { normalisation: "none", beta: 0.5, omega: 2 }), [[1 + 2 * (0.5 + 1 / 6), 1 + 2 * (-1 + 1 / 6)], [-1 + 2 / 6]], 1e-5);
  expect(istarAdvantages([1], [[3]], { omega: 1, std: "none", eps: 0, form: "asReleased" }).total).toEqual([[0]]);
});

test("PRIME: both sources leave one out; later token rewards count for earlier tokens", () => {
  const made = (scores: readonly number[], terminal: number): Scored => {
    const one = withScores(scores, terminal);
    return { ...one, tokenReferences: one.trajectory.sequences.map(({ behaviorLogprobs }) => behaviorLogprobs) };
  };
  const credits = assignCredit([groupOf([made([1, 0], 1), made([0, 1], 0)])], configOf("prime", { beta: 1, processCoefficient: 1, outcomeCoefficient: 1 }), rng)[0] as { perToken: Float32Array[] }[];
  // Token rewards 2·(q - 0.5): +1 -1 and -1 +1, from each token on 0 -1 and 0 +1; outcomes +1 and -1.
  const whole = [1, 0, -1, 0];
  const spread = Math.sqrt(2 / 3 + 1e-8);
  expectClose(credits.flatMap(({ perToken }) => [...(perToken[0] as Float32Array)].filter((_, index) => index % 2 === 1)), whole.map((value) => value / spread), 1e-5);
});

test("the gradients of the losses that second networks are fitted with equal differences", () => {
  const numbers = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 6, maxLength: 6 });
  fc.assert(fc.property(numbers, fc.constantFrom("default", "asReleased"), fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }), (flat, form, success) => {
    const shaped = (values: readonly number[]): number[][] => [values.slice(0, 3), values.slice(3, 5), values.slice(5)];
    const { gradStepRewards, loss, pairs } = istarLoss(shaped(flat), success, form);
    expectClose(gradStepRewards.flat(), differences(flat, (values) => istarLoss(shaped(values), success, form).loss), 1e-6);
    expect(pairs).toBe(success.filter((won) => won).length * success.filter((won) => !won).length);
    if (pairs === 0) expect(loss).toBe(0);
  }));
  fc.assert(fc.property(numbers, numbers, fc.array(fc.constantFrom(0, 1), { minLength: 2, maxLength: 2 }), (prm, reference, outcomes) => {
    const rows = { starts: [0, 4, 6], mask: [1, 0, 1, 1, 1, 0] };
    const gradient = new Float64Array(6);
    const of = (values: readonly number[], into = new Float64Array(6)): number => primeLoss(rows, values, reference, outcomes, 0.7, into).loss;
    of(prm, gradient);
    expectClose([...gradient], differences(prm, (values) => of(values)), 1e-6);
  }));
  fc.assert(fc.property(numbers, fc.constantFrom(0, 0.3), (flat, centre) => {
    const of = (values: readonly number[]) => bradleyTerryLoss({ chosen: values.slice(0, 2), rejected: values.slice(2, 4), margins: flat.slice(4) }, centre);
    const { gradChosen, gradRejected } = of(flat);
    expectClose([...gradChosen, ...gradRejected], differences(flat.slice(0, 4), (values) => of(values).loss), 1e-6);
  }));
  expect(bradleyTerryLoss({ chosen: [], rejected: [], margins: [] }, 1)).toEqual({ loss: 0, accuracy: 0, gradChosen: [], gradRejected: [] });
});

test("a moving baseline needs its settings; the others ignore them", () => {
  const off = { std: "none" as const, eps: 0, movingStart: null, movingDecay: null };
  expect(() => batchBaselineAdvantage([1], { ...off, baseline: "moving" })).toThrow(RangeError);
  expect(batchBaselineAdvantage([1, 3], { ...off, baseline: "mean" })).toEqual({ advantages: [-1, 1], movingEnd: null });
});

test("a scheme that is not given what it needs says so", () => {
  const bare = groupOf([scored(1), scored(0)]);
  for (const [id, { needs }] of Object.entries(CREDIT_ASSIGNERS)) {
    const assign = (): unknown => assignCredit([bare], configOf(id as CreditConfig["id"]), rng);
    if (needs.length === 0) expect(assign).not.toThrow();
    else {
      expect(assign, id).toThrow(ConfigError);
      expect(assign, id).toThrow(new RegExp(`^algorithm\\.credit is "${id}", which needs .*; this run has none$`));
    }
  }
});
