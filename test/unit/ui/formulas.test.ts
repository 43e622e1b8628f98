import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { CreditConfig } from "#algorithms/credit/registry.ts";
import type { CreditId } from "#run/assessment.ts";
import type { Recording } from "#run/recording.ts";
import { boardRows, dialRow, rowOf } from "#store/credit-board.ts";
import { wholeGroup } from "#store/whole-group.ts";
import { estimates } from "#ui/inspector/formulas/critic.ts";
import type { Derivation } from "#ui/inspector/formulas/derivation.ts";
import { flatFormula } from "#ui/inspector/formulas/flat.ts";
import { formulaOf } from "#ui/inspector/formulas/formula-of.ts";

/** The recorded group: what its schemes paid was computed by the code that trains. */
const { group, assessments }: Recording = JSON.parse(readFileSync("public/recordings/refund-desk.json", "utf8"));
const whole = wholeGroup({ group });
const truth = assessments.find(({ truth: { given } }) => given === "history")?.truth ?? null;
const rows = boardRows(group, assessments.flatMap(({ schemes }) => schemes));

const places = group.members.flatMap(({ turns }, member) => turns.map((_, turn) => ({ member, turn })));

function derived(id: CreditId): readonly { readonly derivation: Derivation; readonly paid: number }[] {
  const row = id === "dial" ? dialRow({ group }, truth, 0.3) : rowOf(rows, id);
  if (row === null) throw new Error(`the recording has no row of ${id}`);
  return places.map((at) => {
    const derivation = formulaOf({ config: row.config, group, whole, at, row, truth });
    if (derivation === null) throw new Error(`${id} has no formula`);
    return { derivation, paid: row.credits[at.member]?.[at.turn] ?? Number.NaN };
  });
}

describe("the formula filled in comes to what was paid, at every turn", () => {
  test.each(["flat", "process", "gigpo", "dial", "truth"] as const)("%s", (id) => {
    for (const { derivation, paid } of derived(id)) expect(derivation.result ?? Number.NaN).toBeCloseTo(paid, 3);
  });

  test("critic: what is paid is the advantage shown, centred and divided by one mean and one deviation", () => {
    const row = rowOf(rows, "critic");
    if (row?.basis?.kind !== "values" || row.config.id !== "critic") throw new Error("the recording has no critic's values");
    const { config, basis: { values } } = row;
    const raw = group.members.flatMap((member, index) => estimates(member, values[index] ?? [], config).advantages);
    const paid = row.credits.flat();
    const [low, high] = [raw.indexOf(Math.min(...raw)), raw.indexOf(Math.max(...raw))];
    const slope = ((paid[high] ?? 0) - (paid[low] ?? 0)) / ((raw[high] ?? 0) - (raw[low] ?? 0));
    expect(slope).toBeGreaterThan(0);
    for (const [index, value] of raw.entries()) expect(paid[index]).toBeCloseTo((paid[low] ?? 0) + slope * (value - (raw[low] ?? 0)), 3);
  });

  test("implicit step: the outcome's part is that of the leave-one-out scheme", () => {
    const ours = derived("istar")[0]?.derivation.lines.at(-1)?.text ?? "";
    expect(ours).toContain("(4) divided by (3)");
    expect(ours).toContain("1.000 minus 0.500");
  });
});

test("variants of flat credit differ where they should", () => {
  const at = { member: 0, turn: 0 };
  const row = rows[0];
  if (row === undefined) throw new Error("the recording has no rows");
  const of = (config: Partial<Extract<CreditConfig, { id: "flat" }>>) =>
    flatFormula({ config: { id: "flat", std: "population", eps: 0, leaveOneOut: false, ...config }, group, whole, at, row, truth }).result;
  expect(of({})).toBeCloseTo(1, 6);
  expect(of({ std: "sample" })).toBeCloseTo(0.866, 3);
  expect(of({ std: "none" })).toBeCloseTo(0.5, 6);
  expect(of({ std: "none", leaveOneOut: true })).toBeCloseTo(0.667, 3);
});

test("turns that acted on the same state are named as peers, and flat credit is compared with whole trajectories", () => {
  const at = { member: 3, turn: 1 };
  const [flat, turn] = [rowOf(rows, "flat"), rowOf(rows, "gigpo")];
  if (flat === null || turn === null) throw new Error("the recording lacks a row");
  const against = formulaOf({ config: flat.config, group, whole, at, row: flat, truth })?.compared;
  expect(against?.peers.map(({ member, turn: index, isSelf }) => [member, index, isSelf])).toEqual([[0, null, false], [1, null, false], [2, null, false], [3, null, true]]);
  const local = formulaOf({ config: turn.config, group, whole, at, row: turn, truth })?.compared;
  // All four looked up the orders first and then stood at the same state.
  expect(local?.peers.filter(({ turn: index }) => index === 1).map(({ member }) => member)).toEqual([0, 1, 2, 3]);
});
