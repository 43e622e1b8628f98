import { describe, expect, test } from "vitest";
import { TaskError } from "#core/errors.ts";
import { rowsOf } from "#environments/sokoban/board.ts";
import { readLevel } from "#environments/sokoban/level-reader.ts";
import { PRESETS } from "#run/run-config.ts";
import type { MemberRecord, TurnRecord } from "#run/run-event.ts";
import { policyPlay } from "#ui/sokoban/board-rows.ts";
import { firstDifference } from "#ui/sokoban/compare-plays.tsx";
import { levelLink, levelOfLink } from "#ui/sokoban/level-link.ts";
import { tooLarge } from "#ui/sokoban/own-plays.tsx";

test("plays part at their first differing move; a push and a step the same way do not differ", () => {
  expect(firstDifference("luR", "luD")).toBe(2);
  expect(firstDifference("lUr", "lur")).toBeUndefined();
  expect(firstDifference("lu", "lurr")).toBeUndefined();
  expect(firstDifference("", "l")).toBeUndefined();
  expect(firstDifference("ll", "·l")).toBe(0);
});

describe("levels in the address", () => {
  test("come back as they were, decorations and all sizes alike", () => {
    for (const rows of [["#####", "#@$.#", "#####"], ["#######", "#+ $ *#", "###   #", "  #####"], [`${"#".repeat(60)}`, `#@$.${" ".repeat(55)}#`, `${"#".repeat(60)}`]]) {
      const level = readLevel(rows);
      const link = levelLink(level);
      expect(link).toMatch(/^#\/level\/[A-Za-z0-9%*().!~'_-]+$/);
      expect(rowsOf(levelOfLink(link)!)).toEqual(rowsOf(level));
    }
  });

  test("runs of several rows are read as well; without a level there is none", () => {
    expect(rowsOf(levelOfLink("#/level/5%23%7C2(%23@$.%23%7C)5%23".replace("2(", "1("))!)).toEqual(["#####", "#@$.#", "#####"]);
    expect(levelOfLink("#/level")).toBeNull();
    expect(levelOfLink("#/level/")).toBeNull();
  });

  test.each([
    ["no player, with its row", "5%23%7C%23-$.%23%7C5%23", /line 1: there is no player/],
    ["a stranger in the second row", "5%23%7C%23@$x%23%7C5%23", /line 2: "x" at column 4 is no cell/],
    ["a way out", "5%23%7C-@$.%23%7C5%23", /the player can walk out/],
    ["a bomb", "9999999(9999999%23)", /makes more than the 16512 characters that are allowed/],
    ["a broken escape", "5%2", /broken escape/],
    ["too long", "a".repeat(8001), /has 8001 characters; allowed are up to 8000/],
  ])("%s is refused with the reason", (_name, text, message) => {
    expect(() => levelOfLink(`#/level/${text}`)).toThrow(TaskError);
    expect(() => levelOfLink(`#/level/${text}`)).toThrow(message);
  });
});

test("a level that the policy has no room for says what would do", () => {
  const square = (side: number) => readLevel(["#".repeat(side + 2), `#@$.${" ".repeat(side - 3)}#`, ...Array.from({ length: side - 1 }, () => `#${" ".repeat(side)}#`), "#".repeat(side + 2)]);
  expect(tooLarge(PRESETS.sokoban, square(4))).toBeNull();
  expect(tooLarge(PRESETS.sokoban, square(10))).toBeNull();
  expect(tooLarge(PRESETS.sokoban, square(11))).toMatch(/it is 11 × 11, and coordinates go to 10 × 10: .* with a context of 126$/);
  const cells = { ...PRESETS.sokoban, harness: { ...PRESETS.sokoban.harness, grid: "cells" } } as typeof PRESETS.sokoban;
  expect(tooLarge(cells, square(6))).toBe("its board takes 41 tokens, and policy.context is 32: 41 would do");
  expect(tooLarge(cells, square(20))).toMatch(/none of up to 256 would do/);
  expect(tooLarge(PRESETS["refund-desk"], square(20))).toBeNull();
});

test("what the policy did is written as a person's play is", () => {
  const boards = [["#####", "#@$ .#", "#####"], ["#####", "# @$.#", "#####"], ["#####", "# @$.#", "#####"], ["#####", "#  @*#", "#####"]];
  const turn = (name: string, at: number): TurnRecord & { sequence: number } => ({
    sequence: 0, start: 0, end: 0, observation: { kind: "board", content: [] }, events: [], credit: 0, reward: 0, anchorKey: "", stateAfter: { board: boards[at]! },
    action: name === "" ? { kind: "malformed", raw: "", reason: "" } : { kind: "tool", name, args: {} },
  });
  const member: MemberRecord = { reward: 1, success: true, ending: "terminated", checks: {}, monitors: [], stateBefore: { board: boards[0]! }, sequences: [], turns: [turn("right", 1), turn("", 2), turn("right", 3)] };
  expect(policyPlay(member, "B")).toEqual({ name: "B", boards, letters: "R·R", success: true });
});
