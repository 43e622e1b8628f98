import { describe, expect, test } from "vitest";
import { scoreGroups } from "#algorithms/rewards/implementations.ts";
import type { Split } from "#core/environment.ts";
import { createRng } from "#core/rng.ts";
import type { Action, SeenStep, TurnEvent } from "#core/trajectory.ts";
import { boardText, DIRECTIONS, LETTERS, type Level } from "#environments/sokoban/board.ts";
import { DEFAULTS } from "#environments/sokoban/config.ts";
import { distancesIn } from "#environments/sokoban/distances.ts";
import { innerWalls } from "#environments/sokoban/generator.ts";
import { createSokoban } from "#environments/sokoban/index.ts";
import { readLevel } from "#environments/sokoban/level-reader.ts";
import { boardObservation, levelOf } from "#environments/sokoban/observation.ts";
import { symmetricText } from "#environments/sokoban/symmetry.ts";
import { taskOf } from "#environments/sokoban/tasks.ts";
import { play } from "#environments/play.ts";
import { baselineRates } from "#environments/rates.ts";
import { judged } from "../algorithms/trajectories.ts";
import { atOnce, filtered, text } from "./support.ts";

const sokoban = createSokoban();
const go = (name: string): Action => ({ kind: "tool", name, args: {} });
const BY_LETTER = new Map(DIRECTIONS.map((direction) => [LETTERS[direction], direction]));

/** Plays letters of a solution; by turn what happened. */
function played(start: Level, letters: string) {
  let level = start;
  const [events, seen, ends]: [TurnEvent[][], SeenStep[], boolean[]] = [[], [], []];
  for (const letter of letters) {
    const action = go(BY_LETTER.get(letter)!);
    const [outcome] = atOnce(sokoban.outcomes(level, action));
    level = outcome!.state;
    events.push([...outcome!.events]);
    seen.push({ action, observation: outcome!.observation });
    ends.push(outcome!.terminated);
  }
  return { level, events, seen, ends };
}

/** By turn, as the event table pays them. */
async function paid(start: Level, letters: string): Promise<number[]> {
  const { events } = played(start, letters);
  const member = judged({ sequences: [events.map(() => ({ read: 1, sampled: 1 }))], success: true });
  const turns = member.trajectory.turns.map((turn, index) => ({ ...turn, events: events[index] ?? [] }));
  const groups = [{ groupId: "g", members: [{ ...member, trajectory: { ...member.trajectory, turns } }] }];
  const [[rewards] = []] = await scoreGroups(groups, { id: "event-table", scale: 1, malformedPenalty: 0.1 }, createRng(1));
  expect(rewards?.terminal).toBe(0);
  return [...rewards!.perTurn].map((value) => Math.round(value * 1e4) / 1e4);
}

describe("the classic table of rewards", () => {
  const level = readLevel(["########", "#@ $  .#", "########"]);
  const two = readLevel(["########", "#.*@ $.#", "########"]);

  test("every action costs 0.1: a step, a bump, a push, and what is no tool", async () => {
    expect(await paid(level, "lur")).toEqual([-0.1, -0.1, -0.1]);
    expect(atOnce(sokoban.outcomes(level, go("jump")))[0]!.events).toEqual([{ id: "step", weight: -0.1 }]);
  });

  test("the winning push pays 10.9, and a level of one box solved in n moves 11 - 0.1·n in all", async () => {
    expect(await paid(level, "rrrr")).toEqual([-0.1, -0.1, -0.1, 10.9]);
  });

  test("off a goal costs 1, back on pays 1, from one goal to the next nothing", async () => {
    expect(await paid(two, "l")).toEqual([-0.1]);
    expect(await paid(readLevel(["########", "#.$@ * #", "########"]), "rr")).toEqual([-0.1, -1.1]);
    expect(await paid(readLevel(["###########", "#.  *@ $ .#", "###########"]), "lll")).toEqual([-1.1, -0.1, 0.9]);
  });

  test("running out of moves pays no bonus, and winning on the last allowed move does", () => {
    const task = taskOf(level, "train");
    const agent = () => go("right");
    const [short, enough] = [3, 4].map((horizon) => atOnce(play(sokoban, task, agent, horizon, createRng(1))));
    const total = ({ events }: NonNullable<typeof short>) => events.flat().reduce((sum, { weight }) => sum + weight, 0);
    expect([short!.ending, short!.verdict.success, total(short!)]).toEqual(["truncated", false, expect.closeTo(-0.3, 9)]);
    expect([enough!.ending, enough!.verdict.success, total(enough!)]).toEqual(["terminated", true, expect.closeTo(10.6, 9)]);
  });
});

test("named actions and the letters l, u, r, d go one to one, and each moves as it says", () => {
  expect(sokoban.tools.map(({ name }) => LETTERS[name as (typeof DIRECTIONS)[number]])).toEqual(["l", "u", "r", "d"]);
  const level = readLevel(["#####", "#   #", "# @ #", "# *.#", "#####"]);
  const positions = DIRECTIONS.map((direction) => atOnce(sokoban.outcomes(level, go(direction)))[0]!.state.player - level.player);
  expect(positions).toEqual([-1, -5, 1, 0]);
});

test("a board shows the whole level, the outer wall apart", () => {
  for (const split of ["train", "shifted"] as const) {
    for (const { level } of sokoban.tasks({ ...DEFAULTS, boxes: 2, maxMoves: 30 }, split, 50, createRng(3))) expect(levelOf(boardObservation(level))).toEqual(level);
  }
  expect(() => levelOf({ kind: "error", content: { reason: "not-understood" } })).toThrow(/a board is needed/);
});

test("no held-out level is a turn or a mirror of a training level, of which there are far more", () => {
  const texts = (split: Split, count: number, seed: number) => sokoban.tasks(DEFAULTS, split, count, createRng(seed)).map(({ level }) => symmetricText(level));
  const heldout = new Set(texts("heldout", 512, 0));
  expect(heldout.size).toBeGreaterThan(300);
  const training = [1, 2, 3].flatMap((seed) => texts("train", 1000, seed));
  expect(training.filter((level) => heldout.has(level))).toEqual([]);
  expect(texts("shifted", 300, 1).filter((level) => heldout.has(level))).toEqual([]);
});

test("held-out levels are like training levels: as many walls, as far from the end", () => {
  const [train, heldout] = (["train", "heldout"] as const).map((split) => sokoban.tasks(DEFAULTS, split, 512, createRng(4)).map(({ level }) => level));
  for (const walls of [0, 1, 2, 3]) {
    const [a, b] = [train, heldout].map((levels) => levels!.filter(({ room }) => innerWalls(room) === walls).length / 512);
    expect(Math.abs(a! - b!)).toBeLessThan(0.12);
  }
  const moves = (levels: readonly Level[]): number => levels.reduce((sum, level) => sum + (distancesIn(level)?.movesFrom(level) ?? 0), 0) / levels.length;
  expect(Math.abs(moves(train!) - moves(heldout!))).toBeLessThan(0.5);
});

test("a configuration that allows no level says why", () => {
  expect(() => sokoban.tasks({ ...DEFAULTS, minPushes: 40, maxPushes: 60 }, "train", 3, createRng(1))).toThrow(/asked for 3 distinct train levels, found 0; of \d+ more .*too few pushes/);
});

test("worlds are the one that is seen, and the same as filtering by what was observed", () => {
  for (const task of sokoban.tasks(DEFAULTS, "train", 20, createRng(5))) {
    const { observation: first } = sokoban.reset(task);
    const worldsOf = (seen: readonly SeenStep[]) => sokoban.worlds(DEFAULTS, task, first, seen, createRng(1), 4);
    let before = worldsOf([]).worlds;
    expect(before).toEqual([{ probability: 1, task, state: task.level }]);
    const seen: SeenStep[] = [];
    for (const name of ["left", "jump", "up", "up", "right", "down"]) {
      const action = go(name);
      const [outcome] = atOnce(sokoban.outcomes(before[0]!.state, action));
      seen.push({ action, observation: outcome!.observation });
      const now = worldsOf(seen);
      expect(text(now.worlds)).toBe(text(filtered(sokoban, before, seen.at(-1)!)));
      expect(now.exhaustive).toBe(true);
      before = now.worlds;
    }
  }
});

test("the verdict is the boxes' places; deadlocks and bumps are told, and a lost level is not a bump", () => {
  const level = readLevel(["#######", "#@ $ .#", "#     #", "#######"]);
  const win = played(level, "rrr");
  expect(win.ends).toEqual([false, false, true]);
  const of = ({ level: end, seen }: ReturnType<typeof played>) => {
    const { success, checks, monitors } = atOnce(sokoban.verdict(taskOf(level, "train"), end, seen, "truncated"));
    return [success, checks.map(({ passed }) => passed), monitors.map(({ fired }) => fired)];
  };
  expect(of(win)).toEqual([true, [true, true], [false, false]]);
  expect(of(played(level, "uddd"))).toEqual([false, [false, false], [false, true]]);
  expect(of(played(level, "rdrrrul"))).toEqual([false, [false, false], [false, false]]);
  const cornered = readLevel(["#######", "#  $@.#", "#     #", "#######"]);
  expect(of(played(cornered, "ll"))).toEqual([false, [false, false], [true, false]]);
});

test("agents that know nothing win little, the oracle everything", async () => {
  const tasks = sokoban.tasks(DEFAULTS, "heldout", 400, createRng(9));
  const rates = await baselineRates(sokoban, tasks, 15, 0);
  expect(rates["doNothing"]!.success).toBe(0);
  expect(rates["random"]!.success).toBeLessThan(0.3);
  expect(rates["greedy"]!.success).toBeLessThan(0.75);
  expect(rates["prompted"]!.success).toBeLessThan(0.8);
  expect(rates["oracle"]).toMatchObject({ success: 1 });
  expect(rates["oracle"]!.turns).toBeGreaterThan(4);
});

test("a large room is played by the search where there are too many positions to look at all", () => {
  const config = { ...DEFAULTS, size: 8, boxes: 3, minPushes: 4, maxPushes: 60, maxMoves: 200 };
  for (const task of sokoban.tasks(config, "train", 2, createRng(1))) {
    expect(atOnce(play(sokoban, task, sokoban.demonstrator(task, createRng(1), 1), 200, createRng(1))).verdict.success).toBe(true);
    expect(atOnce(play(sokoban, task, sokoban.demonstrator(task, createRng(1), 0.9), 200, createRng(1))).seen.length).toBeGreaterThan(0);
  }
  expect(boardText(sokoban.tasks(config, "train", 1, createRng(1))[0]!.level)).toHaveLength(10 * 10 + 9);
});
