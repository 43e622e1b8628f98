import { describe, expect, test } from "vitest";
import type { GroupTruth, TurnTruth } from "#run/assessment.ts";
import { createRng } from "#core/rng.ts";
import { PRESETS } from "#run/run-config.ts";
import {
  anchorPeers, boardRows, boardScale, defaultConfig, dialRow, isMismatch, ledgerOf, mismatchesOf, nextMismatch, punishedQuestions, rowOf, truthCredits, truthSummary,
} from "#store/credit-board.ts";
import { fakeAssessment, fakeTruth } from "../../fixtures/fake-laboratory.ts";
import { fakeGroup } from "../../fixtures/fake-run.ts";

const group = fakeGroup(4, 4, 0.5, createRng(11));
const turn = (skill: number, halfWidth = 0, luck = 0): TurnTruth => ({
  skill, luck, halfWidth, value: 0.4, actionValue: 0.4 + skill, probability: 0.5, kind: halfWidth > 0 ? "branched" : "exact", worlds: 8, unexplored: 0,
});
const truthOf = (...members: readonly TurnTruth[][]): GroupTruth => ({ given: "history", form: "full", members: members.map((turns) => ({ start: 0.4, startHalfWidth: 0, turns })) });

test("good questions of a group are counted, and those of them that are paid less than zero", () => {
  const asked = (at: readonly boolean[]) => ({ turns: at.map((isQuestion) => ({ observation: { kind: isQuestion ? "user" : "tool", content: null } })) });
  const shown = { ...group, members: [asked([true, false, true]), asked([true, true])] } as unknown as typeof group;
  const truth = truthOf([turn(0.2), turn(0.3), turn(0.2, 0.3)], [turn(0.1), turn(-0.2)]);
  // Neither a look-up, nor one that is not certain, nor a bad question.
  expect(punishedQuestions(shown, truth, [[-1, -1, -1], [0.5, -1]])).toEqual({ good: 2, punished: 1 });
  expect(punishedQuestions(shown, truth, [[1, -1, -1], [0, -1]])).toEqual({ good: 2, punished: 0 });
  expect(punishedQuestions(shown, null, [[-1, -1, -1], [-1, -1]])).toEqual({ good: 0, punished: 0 });
});

describe("mismatch", () => {
  test("the other sign counts only where the interval excludes zero", () => {
    expect(isMismatch(turn(0.1), -1)).toBe(true);
    expect(isMismatch(turn(-0.1), 0.2)).toBe(true);
    expect(isMismatch(turn(0.1), 1)).toBe(false);
    expect(isMismatch(turn(0.1, 0.1), -1)).toBe(false);
    expect(isMismatch(turn(0.1, 0.09), -1)).toBe(true);
  });

  test("a skill that is drawn as zero has no sign to differ from, and is not counted among those that have", () => {
    expect(isMismatch(turn(-0.0003), 1)).toBe(false);
    expect(isMismatch(turn(0.0049, 0.001), -1)).toBe(false);
    expect(isMismatch(turn(0.0051, 0.001), -1)).toBe(true);
    expect(mismatchesOf(truthOf([turn(-0.0003), turn(0.2)]), [[1, 1]])).toEqual({ places: [], decided: 1, turns: 2 });
  });

  test("no credit and no skill are nobody's sign", () => {
    expect(isMismatch(turn(0.1), 0)).toBe(false);
    expect(isMismatch(turn(0), -1)).toBe(false);
    expect(isMismatch(null, -1)).toBe(false);
  });

  test("they are counted among decided turns and walked in reading order, round to the first", () => {
    const truth = truthOf([turn(0.2), turn(0.2, 0.3), turn(-0.2)], [turn(0.1), turn(0.3)]);
    const found = mismatchesOf(truth, [[-1, -1, -1], [-1, 1]]);
    expect(found).toEqual({ places: [{ member: 0, turn: 0 }, { member: 1, turn: 0 }], decided: 4, turns: 5 });
    expect(nextMismatch(found, null)).toEqual({ member: 0, turn: 0 });
    expect(nextMismatch(found, { member: 0, turn: 0 })).toEqual({ member: 1, turn: 0 });
    expect(nextMismatch(found, { member: 1, turn: 1 })).toEqual({ member: 0, turn: 0 });
    expect(nextMismatch(mismatchesOf(truth, [[1, 1, -1], [1, 1]]), null)).toBeNull();
  });
});

test("the ledger of skill and luck closes, that of a scheme shows its gap", () => {
  const { members } = fakeTruth(group, "history");
  for (const [index, member] of members.entries()) {
    const success = group.members[index]?.success === true;
    if (member === null) throw new Error("no member failed here");
    expect(ledgerOf(member, success, truthCredits(member))?.gap).toBeCloseTo(0, 9);
    expect(ledgerOf(member, success, [1, 1])).toEqual({ start: 0.45, sum: 2, outcome: success ? 1 : 0, gap: 2.45 - (success ? 1 : 0) });
  }
  expect(ledgerOf(null, true, [1])).toBeNull();
});

describe("scale", () => {
  const truth = truthOf([turn(0.3), turn(-0.1)], [turn(0.1), turn(0.1)]);
  const rows = boardRows({ ...group, credits: [{ id: "flat", config: defaultConfig("flat"), reward: "verifiable", summed: false, credits: [[2, 2], [-2, -2]] }] }, []);

  test("equal: each scheme's mean square becomes that of skill, and one limit holds for all", () => {
    const { limit, factor } = boardScale(rows, truth, "equal");
    const rms = Math.sqrt((0.09 + 0.01 + 0.01 + 0.01) / 4);
    expect(factor("flat")).toBeCloseTo(rms / 2, 9);
    expect(limit).toBeCloseTo(0.3, 9);
  });

  test("raw: nothing is stretched; without truth the scheme trained with is what others are drawn like", () => {
    expect(boardScale(rows, truth, "raw").limit).toBe(2);
    expect(boardScale(rows, truth, "raw").factor("flat")).toBe(1);
    const [flat] = rows;
    if (flat === undefined) throw new Error("there is a row");
    const { factor, limit } = boardScale([flat, { ...flat, id: "gigpo", credits: [[4, 4], [-4, -4]] }], null, "equal");
    expect([factor("flat"), factor("gigpo"), limit]).toEqual([1, 0.5, 2]);
  });
});

test("an assessment fills in what the record lacks and leaves what was paid", () => {
  const { schemes } = fakeAssessment(4, group, "history", ["flat", "critic"]);
  const changed = schemes.map((row) => (row.id === "flat" ? { ...row, credits: row.credits.map((list) => list.map(() => 9)) } : row));
  expect(rowOf(boardRows(group, []), "critic")).toBeNull();
  const rows = boardRows(group, changed);
  expect(rows.map(({ id }) => id)).toEqual(["flat", "critic"]);
  expect(rowOf(rows, "flat")?.credits).toEqual(group.credits[0]?.credits);
  expect(rowOf(rows, "critic")?.fitted).toContain("256 trajectories");
});

test("the dial goes from the reward against its group to skill", () => {
  const truth = fakeTruth(group, "history");
  const mean = group.members.reduce((sum, { reward }) => sum + reward, 0) / group.members.length;
  const at = (share: number) => dialRow({ group }, truth, share)?.credits[1]?.[0] ?? Number.NaN;
  const skill = truth.members[1]?.turns[0]?.skill ?? Number.NaN;
  expect(at(0)).toBeCloseTo((group.members[1]?.reward ?? 0) - mean, 9);
  expect(at(1)).toBeCloseTo(skill, 9);
  expect(at(0.25)).toBeCloseTo(0.75 * at(0) + 0.25 * skill, 9);
  expect(dialRow({ group }, null, 0.5)).toBeNull();
});

test("the dial over some of a group from a link compares with all of its rewards, and pays nothing without them", () => {
  const [members, truth] = [group.members.slice(1, 3), fakeTruth(group, "history")];
  const some = { ...truth, members: truth.members.slice(1, 3) };
  const linked = (rewards: readonly (number | null)[] | null) =>
    ({ group: { ...group, members }, linked: { config: { ...PRESETS["refund-desk"], algorithm: { ...PRESETS["refund-desk"].algorithm, groupSize: 4 } }, assessments: [], members: [1, 2], rewards } });
  const rewards = group.members.map(({ reward }) => reward);
  expect(dialRow(linked(rewards), some, 0)?.credits).toEqual(dialRow({ group }, truth, 0)?.credits.slice(1, 3));
  expect(dialRow(linked(null), some, 0)).toBeNull();
});

test("truth is called exact only where all of it was enumerated", () => {
  expect(truthSummary([null])).toBeNull();
  expect(truthSummary(truthOf([{ ...turn(0.1), unexplored: 0.012 }]).members)).toEqual({ kind: "exact", margin: 0.012, worlds: 0 });
  expect(truthSummary(truthOf([turn(0.1), turn(0.1, 0.07)]).members)).toEqual({ kind: "mixed", margin: 0.07, worlds: 8 });
});

test("peers are the turns with an equal anchor, failed rollouts left out", () => {
  const [first, second] = group.members;
  if (first === undefined || second === undefined) throw new Error("a group has members");
  const failed = { ...group, members: [first, { ...second, ending: "failed" as const }] };
  expect(anchorPeers(failed, { member: 0, turn: 0 })).toEqual([{ member: 0, turn: 0, isSelf: true }]);
  expect(anchorPeers({ ...group, members: [first, second] }, { member: 0, turn: 0 })).toEqual([{ member: 0, turn: 0, isSelf: true }, { member: 1, turn: 0, isSelf: false }]);
});
