import { describe, expect, test } from "vitest";
import { TaskError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import { rowsOf, type Level } from "#environments/sokoban/board.ts";
import { DEFAULTS } from "#environments/sokoban/config.ts";
import { createSokoban } from "#environments/sokoban/index.ts";
import { readLevel } from "#environments/sokoban/level-reader.ts";
import { readPlays, refusalOf, writeLevel, writePlays } from "#environments/sokoban/plays.ts";
import { expandRuns, writeRuns } from "#environments/sokoban/run-length.ts";
import { solve } from "#environments/sokoban/solver.ts";

const sokoban = createSokoban();
const levels = (split: "train" | "heldout" | "shifted"): readonly Level[] => sokoban.tasks(DEFAULTS, split, 12, createRng(5)).map(({ level }) => level);
const solved = (level: Level): string => {
  const found = solve(level, 100_000);
  if (found.kind !== "solved") throw new Error("not solved");
  return found.moves;
};

test("runs are written as they are read", () => {
  for (const text of ["", "#", "##", "###", "6#|#@$.-#|6#", "rrrrrrrrrrrRul"]) expect(expandRuns(writeRuns(expandRuns(text, 1000)), 1000)).toBe(expandRuns(text, 1000));
  expect(writeRuns("######|#@$.-#|######")).toBe("6#|#@$.-#|6#");
});

test("plays come back from their text, level and moves alike", () => {
  const plays = levels("train").map((level) => ({ level, moves: solved(level) }));
  const text = writePlays(plays);
  expect(text).toMatch(/^[-#@+$*._|0-9()lurd:;]+$/i);
  expect(readPlays(text, DEFAULTS)).toEqual(plays);
  for (const { level } of plays) expect(rowsOf(readLevel([writeLevel(level)]))).toEqual(rowsOf(level));
  expect(readPlays("", DEFAULTS)).toEqual([]);
  const given = sokoban.plays?.({ ...DEFAULTS, plays: text });
  expect(given?.map(({ actions }) => actions.length)).toEqual(plays.map(({ moves }) => moves.length));
});

describe("what is nothing to learn from is refused with the reason", () => {
  const [first] = levels("train") as readonly [Level];
  const moves = solved(first);
  test.each([
    ["a level without moves", writeLevel(first), /play 1 of plays is refused: a play is a level, a colon and its moves/],
    ["an illegal level", "5#|#@-.#|5#:R", /play 1 of plays is refused: line 1: there is no box/],
    ["letters that are no moves", `${writeLevel(first)}:RX`, /"X" at move 2 is no move/],
    ["too many", Array.from({ length: 65 }, () => `${writeLevel(first)}:${moves}`).join(";"), /plays holds 65 plays; allowed are at most 64/],
  ])("%s", (_name, text, message) => {
    expect(() => readPlays(text, DEFAULTS)).toThrow(TaskError);
    expect(() => readPlays(text, DEFAULTS)).toThrow(message);
  });

  test("one that leaves a box over, one that goes on after the end, and a wall walked into", () => {
    expect(refusalOf({ level: first, moves }, DEFAULTS)).toBeUndefined();
    expect(refusalOf({ level: first, moves: moves.slice(0, -1) }, DEFAULTS)).toMatch(/^it does not solve the level: after all \d+ moves 1 of 1 boxes are off goals/);
    const level = readLevel(["######", "#@$. #", "######"]);
    expect(refusalOf({ level, moves: "u" }, DEFAULTS)).toMatch(/move 1 \(u\) is blocked/);
    expect(refusalOf({ level, moves: "" }, DEFAULTS)).toMatch(/after all 0 moves/);
    const wide = readLevel(["######", "#@$. #", "#    #", "######"]);
    expect(refusalOf({ level: wide, moves: "Rd" }, DEFAULTS)).toMatch(/solved after 1 of its 2 moves: leave out the rest/);
  });

  test("one on a level that is held out, and on one of the crowded ones of that size", () => {
    for (const split of ["heldout", "shifted"] as const)
      for (const level of levels(split)) expect(refusalOf({ level, moves: solved(level) }, DEFAULTS)).toMatch(/held out/);
  });
});
