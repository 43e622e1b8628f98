import { expect, test } from "vitest";
import type { Json } from "#core/trajectory.ts";
import { rowsOf, type Direction } from "#environments/sokoban/board.ts";
import { createSokoban } from "#environments/sokoban/index.ts";
import { readLevel } from "#environments/sokoban/level-reader.ts";
import { boardObservation } from "#environments/sokoban/observation.ts";
import { move } from "#environments/sokoban/rules.ts";
import { boardLabel, boxPaths, deadOfState, rowsOfObservation, rowsOfState } from "#ui/sokoban/board-rows.ts";

const { inspect } = createSokoban();
const level = readLevel(["########", "#@ $ . #", "#  *#  #", "#      #", "########"]);
const cellOf = (x: number, y: number): number => y * 8 + x;

test("an observed board and a state are the same rows; anything else is no board", () => {
  expect(rowsOfObservation(boardObservation(level))).toEqual(rowsOf(level));
  expect(rowsOfState(inspect(level))).toEqual(rowsOf(level));
  expect(deadOfState(inspect(level))).toContain(cellOf(1, 1));
  for (const content of [null, [], [["floor"], []], [["lamp"]], { board: ["x"] }, "board"] as Json[]) expect(rowsOfObservation({ kind: "board", content })).toBeNull();
  for (const state of [null, [], { orders: [] }, { board: [1] }, { board: [] }] as Json[]) expect(rowsOfState(state)).toBeNull();
});

test("each box has its own way, and one that never moved has none", () => {
  let at = level;
  const states = [inspect(at)];
  for (const direction of ["right", "right", "right", "down", "left", "up"] satisfies Direction[]) {
    at = move(at, direction).level;
    states.push(inspect(at));
  }
  expect(boxPaths(states)).toEqual([[cellOf(3, 1), cellOf(4, 1), cellOf(5, 1)]]);
  const down = readLevel(["#####", "#@  #", "#$  #", "# *.#", "#   #", "#####"]);
  const pushes = (["down", "down", "right"] satisfies Direction[]).reduce<Json[]>((seen, direction) => {
    at = move(seen.length === 0 ? down : at, direction).level;
    return [...seen, inspect(at)];
  }, []);
  expect(boxPaths([inspect(down), ...pushes])).toEqual([[11, 16, 21], [17, 18]]);
  expect(boxPaths([{ orders: [] }, { orders: [] }])).toEqual([]);
});

test("a board in words", () => {
  expect(boardLabel(rowsOf(level))).toBe("Board of 6 by 3, 1 of 2 boxes home");
  expect(boardLabel(["####", "#@$#", "#. #", "####"])).toBe("Board of 2 by 2, 0 of 1 box home");
});
