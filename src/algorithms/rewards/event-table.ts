import * as v from "valibot";
import type { TurnRewards } from "#core/credit.ts";
import { numberField } from "#core/field.ts";
import type { RewardEntry, Score } from "./entry.ts";

const schema = v.strictObject({
  scale: numberField({ title: "Scale", help: "Times the environment's own weights.", min: 0, max: 10 }),
  malformedPenalty: numberField({ title: "Unreadable", help: "Taken off a turn whose action never reached the environment; a step of Sokoban costs 0.1.", min: 0, max: 10 }),
});

/**
 * The environment's own table and nothing beside it: each turn is paid the sum of its events' weights, the verdict is not read. In
 * Sokoban that is the classic reward (-0.1 a move, ±1 a box on or off a goal, +10 solved): 10.9 for the winning push, and for a level
 * solved in n moves 10 + boxes brought home - 0.1·n in all. Source: gym-sokoban, SokobanEnv; each sum is a test.
 */
export const eventTable: RewardEntry<typeof schema> = {
  id: "event-table",
  title: "Event table",
  trust: "shaped",
  needs: [],
  schema,
  defaults: { scale: 1, malformedPenalty: 0.1 },
};

export const score: Score<typeof schema> = (groups, { scale, malformedPenalty }) =>
  groups.map(({ members }) => members.map(({ trajectory: { turns } }): TurnRewards => ({
    perTurn: Float32Array.from(turns, ({ action, events }) =>
      scale * events.reduce((sum, { weight }) => sum + weight, 0) - (action.kind === "malformed" ? malformedPenalty : 0)),
    terminal: 0,
  })));
