import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import { boardText, DIRECTIONS, isSolved, type Level } from "#environments/sokoban/board.ts";
import { readCollection } from "#environments/sokoban/collection.ts";
import { DEFAULTS } from "#environments/sokoban/config.ts";
import { deadSquares, isDeadlocked } from "#environments/sokoban/deadlock.ts";
import { distancesIn } from "#environments/sokoban/distances.ts";
import { generateRoom } from "#environments/sokoban/generator.ts";
import { readLevel } from "#environments/sokoban/level-reader.ts";
import { move } from "#environments/sokoban/rules.ts";
import { replay } from "#environments/sokoban/solution.ts";
import { solve } from "#environments/sokoban/solver.ts";
import { symmetricText, views } from "#environments/sokoban/symmetry.ts";
import { hashText } from "#core/json.ts";

/** Fewest pushes by nothing but the rules: a search over single steps in which only pushes cost. */
function pushesByRules(start: Level): number | undefined {
  const cost = new Map([[boardText(start), 0]]);
  let now: Level[] = [start];
  for (let pushes = 0; now.length > 0; pushes += 1) {
    const next: Level[] = [];
    for (const level of now) {
      if (cost.get(boardText(level)) !== pushes) continue;
      if (isSolved(level)) return pushes;
      for (const direction of DIRECTIONS) {
        const step = move(level, direction);
        const [text, at] = [boardText(step.level), pushes + (step.pushed ? 1 : 0)];
        if ((cost.get(text) ?? Infinity) <= at) continue;
        cost.set(text, at);
        (step.pushed ? next : now).push(step.level);
      }
    }
    now = next;
  }
  return undefined;
}

/** Every position that can be come to, and whether it can still be solved, by the rules alone. */
function solvableBy(start: Level): Map<string, { readonly level: Level; readonly solvable: boolean }> {
  const found = new Map([[boardText(start), start]]);
  for (const level of found.values()) for (const direction of DIRECTIONS) {
    const next = move(level, direction).level;
    if (!found.has(boardText(next))) found.set(boardText(next), next);
  }
  return new Map([...found].map(([text, level]) => [text, { level, solvable: pushesByRules(level) !== undefined }]));
}

const rooms = (count: number, change: object = {}): readonly Level[] => Array.from({ length: count }, (_, seed) => {
  const room = generateRoom(createRng(seed), { ...DEFAULTS, ...change });
  if (room.level === undefined) throw new Error(JSON.stringify(room));
  return room.level;
});

describe("the search", () => {
  test("finds the fewest pushes there are, with moves that solve the level", () => {
    for (const level of [...rooms(60), ...rooms(40, { size: 5, boxes: 2, maxPushes: 30, maxMoves: 60 }), ...rooms(6, { size: 4, boxes: 3, maxPushes: 30, maxMoves: 60 })]) {
      const solution = solve(level);
      if (solution.kind !== "solved") throw new Error(solution.kind);
      expect(solution.pushes).toBe(pushesByRules(level));
      expect(replay(level, solution.moves)).toMatchObject({ solved: true, pushes: solution.pushes });
    }
  });

  test("proves that a level cannot be solved, and says when it does not know", () => {
    expect(solve(readLevel(["######", "#    #", "#  $@#", "#.   #", "######"])).kind).toBe("solved");
    // In a corner; and, where no square is dead, because the player cannot get behind the box.
    expect(solve(readLevel(["#####", "#$ .#", "#@  #", "#####"]))).toMatchObject({ kind: "unsolvable", states: 1 });
    const corridor = readLevel(["#######", "#. $@ #", "#######"]);
    expect(solve({ ...corridor, player: corridor.player - 2 }).kind).toBe("unsolvable");
    expect(solve(corridor).kind).toBe("solved");
    const [level] = readCollection(readFileSync(new URL("../../fixtures/sokoban/grigrspecial0020.sok", import.meta.url), "utf8"));
    expect(solve(level!.level!, 1000).kind).toBe("budget");
  });

  test("solved from the start takes no move", () => {
    expect(solve(readLevel(["####", "#@*#", "####"]))).toMatchObject({ kind: "solved", pushes: 0, moves: "" });
  });

  test("solves Boxoban levels in little time", () => {
    const levels = readCollection(readFileSync(new URL("../../fixtures/sokoban/boxoban.txt", import.meta.url), "utf8"));
    const times = levels.map(({ level }) => {
      const since = performance.now();
      expect(solve(level!).kind).toBe("solved");
      return performance.now() - since;
    }).toSorted((a, b) => a - b);
    expect(times[4]).toBeLessThan(process.env["CI"] ? 50 : 150);
  });
});

describe("lost positions", () => {
  test("dead squares are those from which a lone box cannot be pushed to a goal", () => {
    const room = readLevel(["######", "#@ $ #", "#    #", "#  . #", "######"]).room;
    // The goal lies along the lower wall: the other three sides are dead, and so are the corners.
    expect(deadSquares(room)).toEqual([7, 8, 9, 10, 13, 16, 19, 22]);
    for (const level of rooms(10)) expect(deadSquares(level.room)).toEqual(deadByRules(level.room));
  });

  test("no position that can still be solved is called lost, and most lost ones of small rooms are seen", () => {
    let [lost, seen] = [0, 0];
    for (const level of [...rooms(6), ...rooms(1, { boxes: 2, maxPushes: 12, maxMoves: 16 })]) {
      for (const position of solvableBy(level).values()) {
        const called = isDeadlocked(position.level);
        if (position.solvable) expect(called).toBe(false);
        else {
          lost += 1;
          if (called) seen += 1;
        }
      }
    }
    expect(lost).toBeGreaterThan(200);
    expect(seen / lost).toBeGreaterThan(0.9);
  });

  test("boxes that hold each other are lost though they stand on no dead square", () => {
    const along = (row: string): Level => readLevel(["########", "#      #", row, "#  ##@ #", "#   .. #", "########"]);
    expect(isDeadlocked(along("#  $$  #"))).toBe(true);
    expect(isDeadlocked(along("# $  $ #"))).toBe(false);
    expect(deadSquares(along("#  $$  #").room)).not.toContain(2 * 8 + 3);
    const block = (last: string): Level => readLevel(["########", "#      #", "#  $$  #", last, "#@     #", "#  ....#", "########"]);
    expect([block("#  $$  #"), block("#  $ $ #")].map(isDeadlocked)).toEqual([true, false]);
  });
});

/** A lone box from each cell and the player on each side of it, by search over the rules. */
function deadByRules(room: Level["room"]): readonly number[] {
  const floor = Array.from(room.cells).flatMap((cell, index) => (cell === "#" ? [] : [index]));
  return floor.filter((box) => !floor.some((player) => player !== box && pushesByRules({ room, player, boxes: [box] }) !== undefined));
}

describe("distances", () => {
  test("are the fewest moves, and the moves that come nearer are exactly those that do", () => {
    for (const level of rooms(20)) {
      const distances = distancesIn(level)!;
      let at = level;
      for (let left = distances.movesFrom(level)!; left > 0; left -= 1) {
        expect(distances.movesFrom(at)).toBe(left);
        const nearer = distances.nearer(at);
        expect(nearer).toEqual(DIRECTIONS.filter((direction) => distances.movesFrom(move(at, direction).level) === left - 1));
        at = move(at, nearer.at(-1)!).level;
      }
      expect(isSolved(at)).toBe(true);
    }
  });
});

describe("the generator", () => {
  test("the same seed gives the same room everywhere", () => {
    const texts = [...rooms(200), ...rooms(50, { size: 6, boxes: 2, maxPushes: 30, maxMoves: 60 })].map(boardText);
    // Of this list when it was first made: another process, another browser or another version must give it again.
    expect(hashText(texts.join("\n")).toString(16)).toBe("1467153");
  });

  test.each([[4, 1], [5, 1], [6, 1], [4, 2], [5, 2], [6, 2], [8, 3], [10, 4]])("rooms of size %i with %i boxes are what was asked for", (size, boxes) => {
    const config = { ...DEFAULTS, size, boxes, minPushes: 2, maxPushes: 60, maxMoves: 300 };
    for (let seed = 0; seed < (size > 6 ? 3 : 40); seed += 1) {
      const room = generateRoom(createRng(seed), config);
      if (room.level === undefined) throw new Error(JSON.stringify(room));
      expect([room.level.room.width, room.level.room.cells.length]).toEqual([size + 2, (size + 2) ** 2]);
      expect(room.level.boxes).toHaveLength(boxes);
      const solution = solve(room.level);
      expect(solution).toMatchObject({ kind: "solved", pushes: room.pushes });
      expect(room.pushes).toBeGreaterThanOrEqual(2);
      expect(room.moves).toBeLessThanOrEqual(300);
    }
  });

  test("what cannot be is reported with the reasons, after a budget", () => {
    const failure = generateRoom(createRng(1), { ...DEFAULTS, minPushes: 60, maxPushes: 60, maxMoves: 400 });
    expect(failure.level).toBeUndefined();
    expect(failure).toMatchObject({ attempts: 1000, reasons: { "too few pushes": expect.any(Number) } });
  });

  test("turns and mirrors have one text, other levels another", () => {
    const [level, other] = rooms(2) as [Level, Level];
    expect(new Set(views(level)).size).toBe(8);
    const turned = readLevel(turn(level));
    expect(boardText(turned)).not.toBe(boardText(level));
    expect(symmetricText(turned)).toBe(symmetricText(level));
    expect(symmetricText(other)).not.toBe(symmetricText(level));
    const oblong = readLevel(["######", "#@$ .#", "#    #", "######"]);
    expect(symmetricText(readLevel(turn(oblong)))).toBe(symmetricText(oblong));
  });
});

const turn = (level: Level): string[] => {
  const rows = boardText(level).split("|");
  return Array.from(rows[0]!, (_, column) => rows.map((row) => row[column]!).reverse().join(""));
};
