import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { TurnTruth } from "#run/assessment.ts";
import type { Recording } from "#run/recording.ts";
import { boardRows, boardScale, mismatchesOf } from "#store/credit-board.ts";
import { boardSummary, turnSentence } from "#ui/board/headline.ts";
import { creditText, truthText } from "#ui/board/turn-text.ts";
import type { BoardModel } from "#ui/hooks/use-board-model.ts";

const { group, assessments }: Recording = JSON.parse(readFileSync("public/recordings/refund-desk.json", "utf8"));
const rows = boardRows(group, []);

function modelOf(truth: BoardModel["truth"], credits?: readonly (readonly number[])[]): BoardModel {
  const [flat] = rows;
  if (flat === undefined) throw new Error("the recording has no rows");
  const shown = credits === undefined ? flat : { ...flat, credits };
  return {
    entry: { update: 0, group }, truth, isTruthShown: truth !== null, rows, compared: shown.config, shown, scale: boardScale(rows, truth, "equal"),
    mismatches: mismatchesOf(truth, shown.credits), assessment: null, noTruth: null,
  };
}
const measured = modelOf(assessments[0]?.truth ?? null);

test("the story is told of the turn that is paid against its skill", () => {
  expect(turnSentence(measured, { member: 3, turn: 1 })).toBe("D asked the right question and lost anyway. Flat credit punishes the question.");
  const rewarded = modelOf(measured.truth, group.members.map(({ turns }) => turns.map(() => 1)));
  expect(turnSentence(rewarded, { member: 1, turn: 1 })).toBe("B chose badly at turn 2, refund #6, and lost. Flat credit rewards the choice.");
});

test("elsewhere it says the two numbers, and whether the truth is certain", () => {
  expect(turnSentence(measured, { member: 0, turn: 1 })).toBe("A, turn 2, check #2: Flat GRPO gives it +1.00, truth +0.10.");
  expect(turnSentence(measured, { member: 0, turn: 0 })).toBe("A, turn 1, look up: Flat GRPO gives it +1.00; whether the choice helped is not certain.");
});

test("without truth it says only what the credit is", () => {
  expect(turnSentence(modelOf(null), { member: 3, turn: 1 })).toBe("D, turn 2, ask: Flat GRPO gives it −1.00, like every other turn of D.");
  const uneven = modelOf(null, group.members.map(({ turns }) => turns.map((_, index) => index / 10)));
  expect(turnSentence(uneven, { member: 3, turn: 1 })).toBe("D, turn 2, ask: Flat GRPO gives it +0.10.");
  expect(turnSentence(modelOf(null), { member: 9, turn: 1 })).toBeNull();
});

test("who hears the board hears the same", () => {
  expect(boardSummary(measured)).toBe("Four attempts. Two worked. Truth is given for each turn as skill and luck; the sign of skill is certain for 12 of 19 turns. Flat GRPO has 1 of 12 signs wrong.");
  const turn: TurnTruth = { skill: 0.1, luck: -0.3, halfWidth: 0.2, value: 0.4, actionValue: 0.5, probability: 0.5, kind: "branched", worlds: 64, unexplored: 0.4 };
  expect(truthText(turn)).toBe("skill +0.10 plus or minus 0.20, sign not certain, luck −0.30");
  expect(creditText({ ...turn, halfWidth: 0 }, "Flat GRPO", -1)).toBe("skill +0.10, luck −0.30; Flat GRPO −1.00, sign differs from truth");
  expect(creditText(null, "Flat GRPO", -1)).toBe("Flat GRPO −1.00");
});
