import { describe, expect, test } from "vitest";
import { ConfigError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import { largestBoardOf } from "#environments/registry.ts";
import { createSokoban } from "#environments/sokoban/index.ts";
import { readLevel } from "#environments/sokoban/level-reader.ts";
import { boardObservation } from "#environments/sokoban/observation.ts";
import { boardTokens } from "#harness/board-tokens.ts";
import { createHarness } from "#harness/implementations.ts";
import { parseRunConfig, PRESETS, setPath, type RunConfig } from "#run/run-config.ts";
import { withArena } from "#trainer/arena.ts";
import { refuseShortContext } from "#trainer/room-to-see.ts";

const { tools, words, tasks, reset } = createSokoban();
const settings = (changes: readonly (readonly [string, string])[]): RunConfig => changes.reduce((config, [path, text]) => setPath(config, path, text), PRESETS.sokoban);
const move = { kind: "tool", name: "left", args: {} } as const;

describe("tokens of a board", () => {
  test.each([["cells", 1], ["coordinates", 1], ["coordinates", 3], ["cells", 2]] as const)("as %s, %i shown: no room needs more than the settings say, and the fullest one needs just that", (grid, shown) => {
    const config = settings([["harness.grid", grid], ["harness.observations", String(shown)], ["environment.wallShare", "0.4"], ["policy.context", "256"]]);
    const harness = createHarness(config.harness, tools, words);
    const most = boardTokens(config.harness, largestBoardOf(config.environment)!);
    const lengthOf = (level: ReturnType<typeof readLevel>): number => {
      const seen = Array.from({ length: 5 }, () => ({ action: move, observation: boardObservation(level) }));
      return harness.context(boardObservation(level), seen, { variant: 0 }).tokens.length + harness.longestAction;
    };
    if (config.environment.id !== "sokoban") throw new Error("not Sokoban");
    for (const split of ["train", "shifted"] as const)
      for (const { level } of tasks(config.environment, split, 40, createRng(3))) expect(lengthOf(level)).toBeLessThanOrEqual(most);
    // 16 cells: 7 of floor, 6 of wall, then box, goal and player.
    expect(lengthOf(readLevel(["######", "#    #", "# ## #", "##$.@#", "#### #", "######"]))).toBe(most);
  });

  test("the whole history starts with a board", () => {
    const config = settings([["policy.context", "128"], ["harness", "tool-loop"]]);
    const harness = createHarness(config.harness, tools, words);
    if (config.environment.id !== "sokoban") throw new Error("not Sokoban");
    const [task] = tasks(config.environment, "train", 1, createRng(1));
    expect(harness.context(reset(task!).observation, [], { variant: 0 }).tokens.length + harness.longestAction).toBe(boardTokens(config.harness, largestBoardOf(config.environment)!));
  });
});

test("a board that a policy has no room for is refused with the context that would do, before anything runs", () => {
  expect(parseRunConfig(settings([["environment.size", "6"]]))).toBeDefined();
  expect(() => parseRunConfig(settings([["environment.size", "7"]]))).toThrow(/^environment is not possible: .* up to 34 tokens, and policy\.context is 32; allowed: a smaller board, or policy\.context from 34/);
  expect(parseRunConfig(settings([["environment.size", "7"], ["policy.context", "34"]]))).toBeDefined();
  expect(() => parseRunConfig(settings([["environment.size", "10"], ["harness.observations", "4"], ["harness.grid", "cells"]]))).toThrow(/which no policy has/);
  for (const preset of Object.values(PRESETS)) expect(parseRunConfig(preset)).toEqual(preset);
});

test("what is seen first of other environments is tried on some tasks", () => {
  const short = { ...PRESETS["js-sandbox"], policy: { ...PRESETS["js-sandbox"].policy, context: 48 } };
  const services = { codeRunner: { run: () => Promise.reject(new Error("not asked")) } };
  expect(() => withArena(short, (arena) => refuseShortContext(short, arena), services)).toThrow(ConfigError);
  expect(() => withArena(short, (arena) => refuseShortContext(short, arena), services)).toThrow(/policy\.context is 48: of 32 tasks \d+ would be cut off before their first turn; allowed: at least \d+/);
  for (const preset of Object.values(PRESETS)) expect(withArena(preset, (arena) => refuseShortContext(preset, arena), services)).toBeUndefined();
});
