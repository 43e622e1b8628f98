import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TaskError } from "#core/errors.ts";
import { rowsOf } from "#environments/sokoban/board.ts";
import { readCollection } from "#environments/sokoban/collection.ts";
import { readLevel } from "#environments/sokoban/level-reader.ts";
import { expandRuns } from "#environments/sokoban/run-length.ts";
import { readMoves, replay } from "#environments/sokoban/solution.ts";

const fixture = (name: string): string => readFileSync(new URL(`../../fixtures/sokoban/${name}`, import.meta.url), "utf8");
const plain = ["#####", "#@$.#", "#####"];

test("runs are written out, nested ones too, and what cannot be a run is refused", () => {
  expect(expandRuns("3#2(lU)3(2(ab)c)d", 100)).toBe("###lUlUababcababcababcd");
  expect(expandRuns("0(ab)c", 100)).toBe("c");
  for (const wrong of ["3", "2)", "(a", "a(3)b", "101a", "10(10(10a))"]) expect(() => expandRuns(wrong, 100)).toThrow(TaskError);
  // Sizes are looked at before anything is repeated: this would have 10^18 characters.
  expect(() => expandRuns("1000000000(1000000000a)", 1e6)).toThrow(/1000000000/);
});

test.each([
  ["one line with runs", ["5#|#@$.#|5#"]],
  ["- and _ for floor, ragged rows", ["#####", "#@$.#", "#####", "  "]],
  ["not at column 0, tabs, trailing blanks, carriage returns", ["   #####  \r", "   #@$.#\t\r", "   #####\r"]],
  ["tab stops", ["\t#####", "        #@$.#", "\t#####"]],
  ["floor and goals outside", [" . _ -", "#####--", "#@$.#.", "#####"]],
  ["a decorative box on a goal that nobody gets to", ["########", "#@$.#*##", "########"]],
])("oddities that are legal give the same level: %s", (_, rows) => {
  expect(rowsOf(readLevel(rows))).toEqual(plain);
});

test("levels that start solved, more goals than boxes, and a player on a goal are legal", () => {
  expect(rowsOf(readLevel(["####", "#+*#", "####"]))).toEqual(["####", "#+*#", "####"]);
  expect(readLevel(["######", "#@$..#", "######"]).boxes).toHaveLength(1);
  expect(rowsOf(readLevel(["#####", "#-_@#", "#*--#", "#####"]))).toEqual(["#####", "#  @#", "#*  #", "#####"]);
});

test.each([
  ["no player", ["#####", "# $.#", "#####"], /line 7: there is no player/],
  ["two players", ["######", "#@$.+#", "#@$.##", "#####"], /line 8: there is a second player|line 9: there is a second player/],
  ["a way out at the side", ["#####", "@ $.#", "#####"], /line 8: the player can walk out/],
  ["a way out below", ["#####", "#@$.#", "## ##"], /line 9: the player can walk out/],
  ["a box that nobody gets to, off its goal", ["#######", "#@$.#$#", "#######"], /line 8: there is a box off its goal/],
  ["fewer goals than boxes", ["######", "#@$$.#", "######"], /line 7: there are 2 boxes and only 1 goals/],
  ["no box", ["####", "#@.#", "####"], /line 7: there is no box/],
  ["a character that is no cell", ["#####", "#@x.#", "#####"], /line 8: "x" at column 3/],
  ["too wide", ["200#", "#@$.#", "#####"], /line 7: allowed are at most 128 × 128/],
  ["too many rows", Array.from({ length: 200 }, () => "###"), /line 7: allowed are at most 128 rows/],
  ["a run without end", ["#####", "#@$.3(#", "#####"], /line 8: .*\(/],
])("illegal levels are refused with the reason and the line: %s", (_, rows, message) => {
  expect(() => readLevel(rows, 7)).toThrow(message);
  expect(() => readLevel(rows, 7)).toThrow(TaskError);
});

test("a .sok text: titles, comments, keys, solutions and snapshots; an illegal level does not hide the next", () => {
  const text = [
    "; Warehouse", "", "Level one", "#####", "#@$.#", "#####", "Author: Ada", "Title: First", "Comment:", "####", "not a row", "Comment-End:", "R", "",
    "Snapshot", "l", "", "Solution/2", "lrR", "", "#####", "#$$.#", "#####", "", "::third", "######", "#@-$.#", "######", "r", "R",
  ].join("\r\n");
  const [first, second, third, ...rest] = readCollection(text);
  expect(rest).toEqual([]);
  expect([first?.title, first?.line, first?.notes, first?.solutions]).toEqual(["First", 4, { Author: "Ada" }, [{ line: 13, text: "R" }, { line: 19, text: "lrR" }]]);
  expect([second?.level, second?.refused]).toEqual([undefined, expect.stringMatching(/line 21: there is no player/)]);
  expect([third?.title, third?.solutions]).toEqual(["third", [{ line: 29, text: "rR" }]]);
  expect(() => readCollection("no level\nhere")).toThrow(/there is no level/);
  expect(Object.getPrototypeOf(readCollection("#####\n#@$.#\n#####\n__proto__: x")[0]!.notes)).toBe(Object.prototype);
});

test("Boxoban's text: the number before each level is its title", () => {
  const levels = readCollection(fixture("boxoban.txt"));
  expect(levels.map(({ title }) => title)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
  expect(levels.every(({ level }) => level?.boxes.length === 4)).toBe(true);
});

test("moves: small letters, capitals and runs; capitals must tell the truth where there are any", () => {
  const level = readLevel(["#######", "# @ $.#", "#######"]);
  expect(readMoves("2(l r)\n2R")).toBe("lrlrRR");
  expect(() => readMoves("rx")).toThrow(/"x" at move 2/);
  expect(replay(level, "rr")).toMatchObject({ solved: true, moves: 2, pushes: 1 });
  expect(replay(level, "rR")).toMatchObject({ solved: true, pushes: 1 });
  expect(replay(level, "RR")).toMatchObject({ solved: false, move: 1, reason: expect.stringMatching(/pushes nothing/) });
  expect(replay(level, "rrrR")).toMatchObject({ solved: false, move: 2, reason: expect.stringMatching(/written small/) });
  expect(replay(level, "u")).toMatchObject({ solved: false, move: 1, reason: expect.stringMatching(/blocked/) });
  expect(replay(level, "rrr")).toMatchObject({ solved: false, move: 3, reason: expect.stringMatching(/blocked/) });
  expect(replay(level, "lr")).toMatchObject({ solved: false, move: 3, reason: expect.stringMatching(/1 of 1 boxes/) });
});

test("published solutions are accepted in both spellings, and a wrong letter is found where it is", () => {
  const cases = fixture("gri.jsonl").trim().split("\n").map((line) => JSON.parse(line) as { level: string[]; solution_lurd: string; solution_rle: string; moves: number; pushes: number });
  expect(cases).toHaveLength(6);
  for (const { level: rows, solution_lurd: lurd, solution_rle: runs, moves, pushes } of cases) {
    const level = readLevel(rows);
    for (const solution of [lurd, runs, lurd.toLowerCase()]) expect(replay(level, readMoves(solution))).toMatchObject({ solved: true, moves, pushes });
    expect(replay(level, lurd.slice(0, -1)).solved).toBe(false);
  }
});
