import fc from "fast-check";
import { expect, test } from "vitest";
import { makeMinibatches, packRows } from "#algorithms/batch.ts";
import { assignCredit } from "#algorithms/credit/implementations.ts";
import type { CreditConfig } from "#algorithms/credit/registry.ts";
import { hasSignal, returnOf } from "#algorithms/returns.ts";
import type { Credit, Scored, ScoredGroup } from "#core/credit.ts";
import { HarnessError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import { groupOf, judged, scored } from "./trajectories.ts";

const perTurn = (...values: number[]): Credit => ({ perTurn: Float32Array.from(values) });
const member = (sequences: Parameters<typeof judged>[0]["sequences"], id: number, ending: Scored["trajectory"]["ending"] = "terminated"): Scored => {
  const made = judged({ sequences, ending }, id);
  return { ...made, rewards: { perTurn: new Float32Array(made.trajectory.turns.length).fill(0.5), terminal: 1 } };
};

test("one trajectory of two sequences, written out", () => {
  const made = member([[{ read: 2, sampled: 1 }, { read: 1, sampled: 2 }], [{ read: 1, sampled: 1 }]], 0);
  const { batches, trained, dropped } = makeMinibatches([groupOf([made])], [[perTurn(1, -2, 3)]], 4);
  expect([batches.length, trained, dropped]).toEqual([1, 1, 0]);
  expect(batches[0]).toEqual({
    rows: 2, length: 6, lengths: Uint32Array.of(6, 2),
    tokens: Uint32Array.of(0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0),
    mask: Uint8Array.of(0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0),
    automatonStates: Uint16Array.of(0, 0, 3, 0, 5, 6, 0, 1, 0, 0, 0, 0),
    trajectoryOfRow: Uint32Array.of(0, 0),
    advantages: Float32Array.of(0, 0, 1, 0, -2, -2, 0, 3, 0, 0, 0, 0),
    behaviorLogprobs: Float32Array.of(0, 0, -3 / 16, 0, -5 / 16, -6 / 16, 0, -8 / 16, 0, 0, 0, 0),
    returns: Float32Array.of(0, 0, 2.5, 0, 2, 2, 0, 1.5, 0, 0, 0, 0),
    pairs: [],
    groupReturns: [[2.5]],
  });
});

test("pairs are those of a group whose returns differ, the better one first; indices count through the minibatch", () => {
  const groups = [
    groupOf([scored(1, 1), scored(9, 1, "failed"), scored(0, 1), scored(1, 1)], "a"),
    groupOf([scored(0.5, 1), scored(0.5, 1)], "b"),
    groupOf([scored(0, 1), scored(0.5, 1), scored(1, 1)], "c"),
  ];
  const credits = groups.map(({ members }) => members.map(({ trajectory }): Credit => ({ perTurn: new Float32Array(trajectory.turns.length).fill(1) })));
  const [whole] = makeMinibatches(groups, credits, 1).batches;
  expect(whole?.groupReturns).toEqual([[1, null, 0, 1], [0.5, 0.5], [0, 0.5, 1]]);
  expect(whole?.pairs).toEqual([{ chosen: 0, rejected: 2 }, { chosen: 3, rejected: 2 }, { chosen: 7, rejected: 6 }, { chosen: 8, rejected: 6 }, { chosen: 8, rejected: 7 }]);
  expect(makeMinibatches(groups, credits, 3).batches.map(({ pairs }) => pairs)).toEqual([
    [{ chosen: 0, rejected: 2 }, { chosen: 3, rejected: 2 }], [], [{ chosen: 1, rejected: 0 }, { chosen: 2, rejected: 0 }, { chosen: 2, rejected: 1 }],
  ]);
});

test("a scheme that says what its critic is fitted to is heard, per turn and per token", () => {
  const made = member([[{ read: 1, sampled: 2 }], [{ read: 1, sampled: 1 }]], 0);
  const returnsOf = (credit: Credit): number[] => [...(makeMinibatches([groupOf([made])], [[credit]], 1).batches[0]?.returns ?? [])];
  expect(returnsOf(perTurn(1, 1))).toEqual([0, 2, 2, 0, 1.5, 0]);
  expect(returnsOf({ ...perTurn(1, 1), targets: Float32Array.of(5, 7) } as Credit)).toEqual([0, 5, 5, 0, 7, 0]);
  const perToken = [Float32Array.of(0, 1, 1), Float32Array.of(0, 1)];
  expect(returnsOf({ perToken })).toEqual([0, 2, 2, 0, 1.5, 0]);
  expect(returnsOf({ perToken, targets: [Float32Array.of(0, 3, 4), Float32Array.of(0, 6)] })).toEqual([0, 3, 4, 0, 6, 0]);
});

test("credit per token is taken as it is", () => {
  const made = member([[{ read: 1, sampled: 2 }]], 0);
  const { batches } = makeMinibatches([groupOf([made])], [[{ perToken: [Float32Array.of(0, 0.5, -0.25)] }]], 1);
  expect(batches[0]?.advantages).toEqual(Float32Array.of(0, 0.5, -0.25));
});

test("a group that is only charged is trained on too", () => {
  expect(makeMinibatches([groupOf([member([[{ read: 1, sampled: 1 }]], 0)])], [[perTurn(-1)]], 1)).toMatchObject({ trained: 1, dropped: 0 });
});

test("groups without credit are dropped and counted; failed rollouts have no row", () => {
  const groups = [
    groupOf([scored(1, 2, "terminated", undefined, 0), scored(1, 2, "terminated", undefined, 1)], "equal"),
    groupOf([scored(1, 1, "terminated", undefined, 2), scored(0, 1, "failed", undefined, 3), scored(0, 2, "truncated", undefined, 4)], "mixed"),
    groupOf([scored(1, 1, "terminated", undefined, 5), scored(0, 1, "failed", undefined, 6)], "alone"),
  ];
  const credits = assignCredit(groups, { id: "leave-one-out" }, createRng(1));
  const { batches, trained, dropped } = makeMinibatches(groups, credits, 2);
  expect([batches.length, trained, dropped]).toEqual([1, 1, 2]);
  expect(batches[0]).toMatchObject({ rows: 2, trajectoryOfRow: Uint32Array.of(0, 2), tokens: Uint32Array.of(2000, 2001, 2002, 0, 0, 0, 4000, 4001, 4002, 4003, 4004, 4005) });
  expect(makeMinibatches([], [], 2)).toEqual({ batches: [], trained: 0, dropped: 0 });
});

const CONFIGS: readonly CreditConfig[] = [{ id: "flat", std: "population", eps: 1e-4, leaveOneOut: false }, { id: "leave-one-out" }];
const groupsOf: fc.Arbitrary<ScoredGroup[]> = fc.array(fc.array(fc.record({
  reward: fc.constantFrom(0, 0.5, 1), turns: fc.integer({ min: 1, max: 3 }), ending: fc.constantFrom("terminated", "truncated", "failed" as const),
}), { minLength: 1, maxLength: 4 }), { maxLength: 9 }).map((groups) =>
  groups.map((members, group) => groupOf(members.map(({ reward, turns, ending }, index) => scored(reward, turns, ending, undefined, group * 10 + index)), `${group}`)));

test("group-relative credit drops exactly the groups whose rewards are equal", () => {
  fc.assert(fc.property(groupsOf, fc.constantFrom(...CONFIGS), (groups, config) => {
    const { trained, dropped } = makeMinibatches(groups, assignCredit(groups, config, createRng(1)), 3);
    expect(trained).toBe(groups.filter(({ members }) => hasSignal(members.map(returnOf))).length);
    expect(trained + dropped).toBe(groups.length);
  }));
});

test("minibatches are the same rows in the same order, split between groups into nearly equal runs", () => {
  fc.assert(fc.property(groupsOf, fc.constantFrom(...CONFIGS), fc.integer({ min: 1, max: 5 }), (groups, config, count) => {
    const credits = assignCredit(groups, config, createRng(1));
    const { batches, trained } = makeMinibatches(groups, credits, count);
    expect(batches.length).toBe(Math.min(count, trained));
    const firstTokens = batches.map(({ rows, length, tokens }) => Array.from({ length: rows }, (_, row) => tokens[row * length] as number));
    const whole = makeMinibatches(groups, credits, 1).batches.flatMap(({ rows, length, tokens }) => Array.from({ length: rows }, (_, row) => tokens[row * length] as number));
    expect(firstTokens.flat()).toEqual(whole);
    const groupsIn = firstTokens.map((tokens) => new Set(tokens.map((token) => Math.floor(token / 10000))));
    expect(groupsIn.reduce((sum, set) => sum + set.size, 0)).toBe(trained);
    const sizes = groupsIn.map((set) => set.size);
    if (sizes.length > 0) expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
  }));
});

test("every sampled token carries its turn's credit, every other none", () => {
  fc.assert(fc.property(groupsOf, (groups) => {
    const credits = groups.map(({ members }, group) => members.map(({ trajectory }, index): Credit =>
      ({ perTurn: Float32Array.from(trajectory.turns, (_, turn) => 1 + turn + 10 * index + 100 * group) })));
    for (const batch of makeMinibatches(groups, credits, 2).batches) {
      for (let row = 0; row < batch.rows; row += 1) {
        const first = batch.tokens[row * batch.length] as number;
        for (let index = 0; index < batch.length; index += 1) {
          const at = row * batch.length + index;
          const expected = 1 + Math.floor(index / 3) + 10 * (Math.floor(first / 1000) % 10) + 100 * Math.floor(first / 10000);
          const sampled = index < (batch.lengths[row] as number) && index % 3 > 0;
          expect(batch.mask[at]).toBe(sampled ? 1 : 0);
          expect(batch.advantages[at]).toBe(sampled ? expected : 0);
        }
      }
    }
  }));
});

test("turns that do not cover what was sampled are a fault", () => {
  const made = member([[{ read: 1, sampled: 2 }]], 7);
  const [turn] = made.trajectory.turns;
  if (turn === undefined) throw new Error("no turn");
  const short = { ...made, trajectory: { ...made.trajectory, turns: [{ ...turn, end: turn.end - 1 }] } };
  expect(() => makeMinibatches([groupOf([short])], [[perTurn(1)]], 1)).toThrow(HarnessError);
  expect(() => makeMinibatches([groupOf([short])], [[perTurn(1)]], 1)).toThrow("task task-7: 2 tokens were sampled, but its turns hold 1");
  expect(() => makeMinibatches([groupOf([made])], [[perTurn(1, 1)]], 1)).toThrow("credit for 2 turns, but there are 1");
});

test("demonstrations pack without credit", () => {
  const sequences = [member([[{ read: 1, sampled: 2 }]], 0), member([[{ read: 1, sampled: 1 }]], 1)].flatMap(({ trajectory }) => trajectory.sequences);
  const batch = packRows(sequences.map((sequence, trajectory) => ({ sequence, trajectory })));
  expect(batch.mask).toEqual(Uint8Array.of(0, 1, 1, 0, 1, 0));
  expect(batch.advantages).toEqual(new Float32Array(6));
  expect("returns" in batch).toBe(false);
  expect(packRows([])).toMatchObject({ rows: 0, length: 0 });
});
