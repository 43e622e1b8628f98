import { describe, expect, test } from "vitest";
import { HarnessError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import type { Action, Observation } from "#core/trajectory.ts";
import { DEFAULTS } from "#environments/sokoban/config.ts";
import { createSokoban } from "#environments/sokoban/index.ts";
import { readLevel } from "#environments/sokoban/level-reader.ts";
import { boardObservation } from "#environments/sokoban/observation.ts";
import { taskOf } from "#environments/sokoban/tasks.ts";
import { demonstrate, scriptedCompletion } from "#harness/demonstrate.ts";
import { Episode, type EpisodeSpec } from "#harness/episode.ts";
import { asCoordinates, createLatestObservation } from "#harness/latest-observation.ts";
import { rollouts } from "#harness/scheduler.ts";
import type { LoopHarness } from "#harness/tool-loop.ts";
import { packRows } from "#algorithms/batch.ts";
import type { Level } from "#environments/sokoban/board.ts";
import { BOXES_TOOLS, BOXES_WORDS, boxesTask, createBoxes } from "./fixtures/boxes.ts";
import { DrawingPolicy } from "./fixtures/drawing-policy.ts";

const sokoban = createSokoban();
const harnessOf = (observations: number, grid: "cells" | "coordinates" = "cells"): LoopHarness => createLatestObservation(sokoban.tools, sokoban.words, { observations, grid });
const level = readLevel(["######", "#@   #", "# $. #", "#  # #", "######"]);
const spec = (harness: LoopHarness, changes: object = {}): EpisodeSpec<ReturnType<typeof taskOf>, Level> => ({
  environment: sokoban, harness, task: taskOf(level, "train"), groupId: "g", budget: { turns: 6, tokens: 64, retries: 1 },
  rng: createRng(1), policyVersion: 0, constrained: true, varyWording: false, ...changes,
});
const go = (name: string): Action => ({ kind: "tool", name, args: {} });
const text = (harness: LoopHarness, tokens: Uint32Array): string => [...tokens].map((token) => harness.vocabulary.words[token]).join(" ");
const steps = (actions: readonly Action[], harness: LoopHarness, changes: object = {}) => {
  const episode = new Episode(spec(harness, changes));
  for (const action of actions) void episode.advance(scriptedCompletion(harness, action, action.kind === "tool"));
  return episode;
};

describe("what a turn sees", () => {
  const cells = "floor floor floor floor player box goal floor floor floor wall floor";
  test("one observation: equal boards are equal contexts, however they came about", () => {
    const harness = harnessOf(1);
    const [short, long] = [steps([go("down")], harness), steps([go("right"), go("left"), go("down")], harness)];
    expect(text(harness, short.request()!.tokens)).toBe(`<begin> <system> ${cells} <assistant>`);
    expect(short.request()!.tokens).toEqual(long.request()!.tokens);
  });

  test("more of them: the latest, oldest first, with the actions between; fewer where there are not so many yet", () => {
    const harness = harnessOf(2);
    const first = text(harness, steps([], harness).request()!.tokens);
    expect(first).toBe("<begin> <system> player floor floor floor floor box goal floor floor floor wall floor <assistant>");
    expect(text(harness, steps([go("down")], harness).request()!.tokens)).toBe(`${first} down <end> board ${cells} <assistant>`);
    expect(text(harness, steps([go("left"), go("up"), go("down")], harness).request()!.tokens)).toBe(`${first} down <end> board ${cells} <assistant>`);
  });

  test("a refusal does not push the board out", () => {
    const harness = harnessOf(1);
    const bad = harness.parse(Uint32Array.from(["down", "up"], (word) => harness.vocabulary.id(word)));
    const episode = steps([go("down"), bad], harness);
    expect(text(harness, episode.request()!.tokens)).toBe(`<begin> <system> ${cells} <assistant> down up <error> trailing-tokens <assistant>`);
    void episode.advance(scriptedCompletion(harness, go("up"), true));
    expect(text(harness, episode.request()!.tokens)).not.toContain("<error>");
  });

  test("coordinates: what stands where, the commonest word once, nothing lost", () => {
    const harness = harnessOf(1, "coordinates");
    expect(text(harness, steps([go("down")], harness).request()!.tokens)).toBe("<begin> <system> floor goal c2 player a2 box b2 wall c3 <assistant>");
    const seen = new Map<string, string>();
    for (const { level: other } of sokoban.tasks({ ...DEFAULTS, boxes: 2, maxMoves: 30, wallShare: 0.4 }, "train", 300, createRng(1))) {
      const board = boardObservation(other);
      const shown = JSON.stringify(asCoordinates(board, harness.vocabulary).content);
      expect(seen.get(shown) ?? JSON.stringify(board.content)).toBe(JSON.stringify(board.content));
      seen.set(shown, JSON.stringify(board.content));
    }
    const other: Observation = { kind: "orders", content: [{ item: "lamp" }] };
    expect(asCoordinates(other, harness.vocabulary)).toBe(other);
    expect(() => harness.observation({ kind: "board", content: Array.from({ length: 11 }, () => ["floor"]).concat([["goal"]]) }, { variant: 0 }, true)).toThrow(HarnessError);
  });
});

describe("an episode of turns that are sequences of their own", () => {
  test("each holds exactly what was seen and then its action; spans tile it; the rows can be trained on", async () => {
    const harness = harnessOf(1);
    const rollout = await demonstrate(spec(harness), sokoban.demonstrator(taskOf(level, "train"), createRng(1), 1));
    const { sequences, turns, ending, first } = rollout.trajectory;
    expect([ending, sequences.length, turns.length]).toEqual(["terminated", 2, 2]);
    for (const [index, { sequence, start, end }] of turns.entries()) {
      expect(sequence).toBe(index);
      const { tokens, spans } = sequences[index]!;
      const context = harness.context(first, rollout.seen.slice(0, index), rollout.wording);
      expect(tokens.slice(0, start)).toEqual(context.tokens);
      expect(end).toBe(tokens.length);
      expect(harness.parse(tokens.subarray(start, end))).toEqual(turns[index]!.action);
      expect(spans.map((span) => span.start)).toEqual([0, ...spans.slice(0, -1).map((span) => span.end)]);
      expect(spans.filter(({ sampled }) => sampled)).toEqual([{ start, end, role: "assistant", sampled: true }]);
    }
    const batch = packRows(sequences.map((sequence) => ({ sequence, trajectory: 0 })));
    expect([batch.rows, batch.mask.reduce((sum, one) => sum + one, 0)]).toEqual([2, 4]);
  });

  test("is longer than any context, and is cut off by turns, retries or a context too small", () => {
    const harness = harnessOf(1);
    const wander = Array.from({ length: 40 }, (_, index) => go(index % 2 === 0 ? "right" : "left"));
    expect(steps(wander, harness, { budget: { turns: 40, tokens: 20, retries: 0 } }).result().trajectory).toMatchObject({ ending: "truncated", sequences: { length: 40 } });
    expect(new Episode(spec(harness, { budget: { turns: 9, tokens: 16, retries: 0 } })).result().trajectory).toMatchObject({ ending: "truncated", sequences: [], turns: [] });
    const bad = harness.parse(Uint32Array.from(["down", "up"], (word) => harness.vocabulary.id(word)));
    expect(steps([bad, bad], harness).result().trajectory.ending).toBe("truncated");
  });

  test("goes on from a history as if it had been played", () => {
    const harness = harnessOf(2);
    const played = steps([go("right"), go("left"), go("down")], harness);
    const before = steps([go("right"), go("left"), go("down"), go("right")], harness, { budget: { turns: 4, tokens: 64, retries: 0 } }).result();
    const forked = new Episode(spec(harness, { from: { first: before.trajectory.first, seen: before.seen.slice(0, 3), state: played.now!.state } }));
    expect(forked.request()!.tokens).toEqual(played.request()!.tokens);
    void forked.advance(scriptedCompletion(harness, go("right"), true));
    expect(forked.result().trajectory).toMatchObject({ ending: "terminated", turns: [{ sequence: 0 }], sequences: { length: 1 } });
  });

  test("an environment that breaks in the second turn leaves both turns, each with its sequence", () => {
    const harness = createLatestObservation(BOXES_TOOLS, BOXES_WORDS, { observations: 1, grid: "cells" });
    const broken = new Episode({ ...spec(harness), environment: createBoxes({ breaksAt: 1 }), task: boxesTask("red") } as never);
    const peek: Action = { kind: "tool", name: "peek", args: { box: "red" } };
    for (let turn = 0; turn < 2; turn += 1) void broken.advance(scriptedCompletion(harness, peek, true));
    const { trajectory, error } = broken.result();
    expect(error?.message).toBe("the shelf fell over");
    expect(trajectory.turns.map(({ sequence, observation }) => [sequence, observation.kind === "failed"])).toEqual([[0, false], [1, true]]);
    expect(trajectory.sequences).toHaveLength(2);
  });

  test("how many play together changes nothing", async () => {
    const harness = harnessOf(2, "coordinates");
    const specs = Array.from({ length: 12 }, (_, index) => spec(harness, { rng: createRng(index) }));
    const [one, many] = await Promise.all([1, 7].map((concurrency) => rollouts(specs, new DrawingPolicy(harness.automaton), { concurrency, greedy: false })));
    expect(many!.map(({ trajectory }) => trajectory)).toEqual(one!.map(({ trajectory }) => trajectory));
  });
});
