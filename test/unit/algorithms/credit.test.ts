import fc from "fast-check";
import * as v from "valibot";
import { expect, test } from "vitest";
import { flat, groupAdvantage } from "#algorithms/credit/flat.ts";
import type { GroupAdvantage } from "#algorithms/credit/flat.ts";
import { assignCredit } from "#algorithms/credit/implementations.ts";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import { hasSignal, returnOf, returnsToGo } from "#algorithms/returns.ts";
import { createRng } from "#core/rng.ts";
import { groupOf, scored } from "./trajectories.ts";

const rng = createRng(1);
const reward = fc.integer({ min: -20, max: 20 }).map((n) => n / 4);
const rewards = fc.array(fc.oneof({ weight: 6, arbitrary: reward }, { weight: 1, arbitrary: fc.constant(null) }), { minLength: 1, maxLength: 9 });
const settings = fc.record({ std: fc.constantFrom("none", "population", "sample"), eps: fc.constant(0), leaveOneOut: fc.boolean() }) as fc.Arbitrary<GroupAdvantage>;
const expectClose = (got: readonly number[], expected: readonly number[]): void => {
  expect(got).toHaveLength(expected.length);
  for (const [index, value] of got.entries()) expect(Math.abs(value - (expected[index] as number))).toBeLessThan(1e-9);
};

test("rewards 1, 0, 0, 0 by hand", () => {
  const of = (std: GroupAdvantage["std"], leaveOneOut = false): number[] => groupAdvantage([1, 0, 0, 0], { std, eps: 0, leaveOneOut });
  expectClose(of("none"), [0.75, -0.25, -0.25, -0.25]);
  expectClose(of("population"), [Math.sqrt(3), -1 / Math.sqrt(3), -1 / Math.sqrt(3), -1 / Math.sqrt(3)]);
  expectClose(of("sample"), [1.5, -0.5, -0.5, -0.5]);
  expectClose(of("none", true), [1, -1 / 3, -1 / 3, -1 / 3]);
});

test("a shift of all rewards changes nothing; a scale only what no deviation divides out", () => {
  fc.assert(fc.property(rewards, settings, fc.integer({ min: -5, max: 5 }), fc.constantFrom(0.5, 2, 8), (list, how, shift, scale) => {
    const plain = groupAdvantage(list, how);
    expectClose(groupAdvantage(list.map((value) => value === null ? null : value + shift), how), plain);
    const scaled = groupAdvantage(list.map((value) => value === null ? null : value * scale), how);
    expectClose(scaled, plain.map((value) => (how.std === "none" ? value * scale : value)));
  }));
});

test("members may be permuted; advantages sum to 0; a higher reward has the higher advantage", () => {
  fc.assert(fc.property(rewards, settings, (list, how) => {
    const plain = groupAdvantage(list, how);
    expectClose(groupAdvantage(list.toReversed(), how), plain.toReversed());
    expect(Math.abs(plain.reduce((sum, value) => sum + value, 0))).toBeLessThan(1e-9);
    const best = list.indexOf(list.reduce((most, value) => (value !== null && (most === null || value > most) ? value : most), null));
    if (best >= 0) for (const value of plain) expect(plain[best]).toBeGreaterThanOrEqual(value - 1e-12);
  }));
});

test("leave one out is the reward minus the mean of the others", () => {
  fc.assert(fc.property(fc.array(reward, { minLength: 2, maxLength: 9 }), (list) => {
    const expected = list.map((value, index) => {
      const others = list.filter((_, other) => other !== index);
      return value - others.reduce((sum, other) => sum + other, 0) / others.length;
    });
    expectClose(groupAdvantage(list, { std: "none", eps: 0, leaveOneOut: true }), expected);
  }));
});

test("an unscorable member gets 0 and does not change the others", () => {
  fc.assert(fc.property(fc.array(reward, { minLength: 1, maxLength: 6 }), settings, (list, how) => {
    expect(groupAdvantage([...list, null], how)).toEqual([...groupAdvantage(list, how), 0]);
  }));
});

test("the same credit for every turn of a trajectory, of its whole return; a failed rollout gets 0", () => {
  const group = groupOf([scored(1, 3), scored(0, 1), scored(0.5, 2, "truncated", [0.25, 0.25]), scored(0, 1), scored(99, 2, "failed")]);
  const [credits] = assignCredit([group], { id: "flat", ...flat.defaults }, rng);
  const one = Math.fround(0.5 / (0.5 + 1e-4));
  expect(credits).toEqual([[one, one, one], [-one], [one, one], [-one], [0, 0]].map((perTurn) => ({ perTurn: Float32Array.from(perTurn) })));
  const [rloo] = assignCredit([group], { id: "leave-one-out" }, rng);
  expect(rloo?.map((credit) => ("perTurn" in credit ? credit.perTurn[0] : NaN))).toEqual([2 / 3, -2 / 3, 2 / 3, -2 / 3, 0].map(Math.fround));
});

test("groups are compared with themselves alone", () => {
  const groups = [groupOf([scored(1), scored(0)], "a"), groupOf([scored(10), scored(0)], "b")];
  for (const id of ["flat", "leave-one-out"] as const) {
    const config = { id, ...CREDIT_ASSIGNERS[id].defaults } as Parameters<typeof assignCredit>[1];
    expect(assignCredit(groups, config, rng)).toEqual(groups.map((group) => assignCredit([group], config, rng)[0]));
  }
});

test("returns", () => {
  const member = scored(2, 3, "terminated", [1, 0, -0.5]);
  expect(returnOf(member)).toBe(2.5);
  expect([...returnsToGo(member.rewards)]).toEqual([2.5, 1.5, 1.5]);
  expect(returnOf(scored(2, 3, "failed"))).toBeNull();
  expect(returnOf(scored(2, 0))).toBe(2);
  expect(returnOf(scored(0, 1, "truncated"))).toBe(0);
  expect([[1, 1], [1, null], [null], [], [1, null, 1]].some(hasSignal)).toBe(false);
  expect(hasSignal([1, null, 0])).toBe(true);
});

test("entries carry their key as id, and defaults that their schema takes", () => {
  for (const [key, { id, schema, defaults }] of Object.entries(CREDIT_ASSIGNERS)) {
    expect(id).toBe(key);
    expect(v.parse(schema, defaults)).toEqual(defaults);
  }
});
