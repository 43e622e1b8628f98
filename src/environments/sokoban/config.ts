import * as v from "valibot";
import { integerField, numberField } from "#core/field.ts";

/** What a room may be like: the curriculum is moved along by size, boxes and pushes. */
export interface SokobanConfig {
  /** Interior cells each way; a ring of wall comes around them. */
  readonly size: number;
  readonly boxes: number;
  /** Of the solution with the fewest pushes there are. */
  readonly minPushes: number;
  readonly maxPushes: number;
  /** Of a known solution: that of the fewest pushes, or where it has too many, and the room is small, the fewest moves there are. */
  readonly maxMoves: number;
  /** Rooms have from none to this share of their interior as walls, each number equally likely; `shifted` one or two walls more. */
  readonly wallShare: number;
  /** A person's plays, as `plays.ts` writes them; a text, so that it travels in links. */
  readonly plays: string;
}

export const MOST_PLAYS = 64;
const MOST_CHARACTERS = 6000;

export const DEFAULTS: SokobanConfig = { size: 4, boxes: 1, minPushes: 1, maxPushes: 8, maxMoves: 11, wallShare: 0.2, plays: "" };

export const SCHEMA = v.pipe(
  v.strictObject({
    size: integerField({ title: "Size", help: "Interior cells each way, without the wall around them", unit: "cells", min: 4, max: 10 }),
    boxes: integerField({ title: "Boxes", help: "Boxes, and as many goals", min: 1, max: 4 }),
    minPushes: integerField({ title: "Pushes from", help: "Fewest pushes that the shortest solution has", unit: "pushes", min: 1, max: 60 }),
    maxPushes: integerField({ title: "Pushes to", help: "Most pushes that the shortest solution has", unit: "pushes", min: 1, max: 200 }),
    maxMoves: integerField({ title: "Moves", help: "Most moves of the known solution; fewer than the harness's turns", unit: "moves", min: 2, max: 400 }),
    wallShare: numberField({ title: "Walls", help: "Most of the interior that is wall", min: 0, max: 0.4, step: 0.05 }),
    // Read in full where a run starts: what reads levels is not loaded with the page.
    plays: v.pipe(
      v.string(), v.maxLength(MOST_CHARACTERS), v.regex(/^[-#@+$*._|0-9()lurd:;]*$/i),
      v.metadata({ title: "Own plays", help: "Levels with their solutions, to be imitated.", allowed: `levels and moves, such as 5#|#@$.#|5#:R, at most ${MOST_CHARACTERS} characters` }),
    ),
  }),
  v.check(({ minPushes, maxPushes }) => minPushes <= maxPushes, "minPushes must be at most maxPushes"),
);

/** Walls that are drawn: up to the most, or, for `shifted`, one or two more. */
export function wallCounts({ size, wallShare }: SokobanConfig, shifted: boolean): readonly number[] {
  const most = Math.floor(wallShare * size * size);
  return shifted ? [most + 1, most + 2] : Array.from({ length: most + 1 }, (_, count) => count);
}

/** The most there is to write of any room: every box off its goal, and as many walls as leave floor and wall equally common. A move is two tokens. */
export function largestBoard(config: SokobanConfig): { readonly cells: number; readonly marked: number; readonly action: number } {
  const cells = config.size * config.size;
  const pieces = 2 * config.boxes + 1;
  const marked = [...wallCounts(config, false), ...wallCounts(config, true)].map((walls) => cells - Math.max(walls, cells - walls - pieces));
  return { cells, marked: Math.max(...marked), action: 2 };
}
