import { expect, test } from "vitest";
import { PRESETS } from "#run/run-config.ts";
import type { RunSnapshot } from "#run/run-snapshot.ts";
import { SnapshotShelf } from "#trainer/snapshot-shelf.ts";

/** Three arrays of `size` floats: 12 · size bytes. */
const snapshotOf = (update: number, size = 10, weight = 1): RunSnapshot => ({
  name: "run", config: PRESETS["refund-desk"], arithmetic: "simd128", update, trajectories: update, tokens: update,
  policy: { weights: new Float32Array(size).fill(weight), first: new Float32Array(size), second: new Float32Array(size), step: update },
});

const filled = (room: number, updates: number, size = 10): SnapshotShelf => {
  const shelf = new SnapshotShelf(room);
  for (let update = 1; update <= updates; update += 1) shelf.add(snapshotOf(update, size));
  return shelf;
};

test("every update of a short run is kept", () => {
  const shelf = filled(12 * 10 * 20, 20);
  expect(shelf.updates).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(shelf.at(7)?.policy.step).toBe(7);
  expect(shelf.at(21)).toBeNull();
});

test("however long a run gets, no more bytes are held; the newest stay dense, older ones grow sparser, the first stays", () => {
  const { updates } = filled(12 * 10 * 31 + 5, 250);
  expect(updates).toHaveLength(31);
  expect([updates[0], ...updates.slice(-4)]).toEqual([1, 247, 248, 249, 250]);
  const gaps = updates.slice(1).map((update, index) => update - (updates[index] ?? 0));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(40);
  expect(Math.max(...gaps.slice(0, 5))).toBeGreaterThan(2 * Math.max(...gaps.slice(-10)));
});

test("the updates that were evaluated stay", () => {
  const { every } = PRESETS["refund-desk"].evaluation;
  const { updates } = filled(12 * 10 * 31, 250);
  expect(updates.filter((update) => update % every === 0)).toEqual([50, 100, 150, 200, 250]);
});

test("a policy too large for the room is still kept three times", () => {
  expect(filled(1, 50).updates).toHaveLength(3);
});

test("going back lets go of what came later; weights that are not finite are left out", () => {
  const shelf = filled(12 * 10 * 20, 9);
  shelf.rewind(4);
  expect(shelf.updates).toEqual([1, 2, 3, 4]);
  expect(shelf.add(snapshotOf(5, 10, Number.NaN))).toBe(false);
  expect(shelf.add(snapshotOf(5))).toBe(true);
  expect(shelf.updates).toEqual([1, 2, 3, 4, 5]);
});
