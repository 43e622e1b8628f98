import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PRESETS } from "#run/run-config.ts";
import { readRecord, SCHEMA, type RunRecord } from "#trainer/library/records.ts";

const config = PRESETS["refund-desk"];
/** One file for every schema that pages have written; only the settings are filled in. */
const fixture = (schema: number): readonly object[] => {
  const records: readonly object[] = JSON.parse(readFileSync(`test/fixtures/stored-runs/schema-${schema}.json`, "utf8"));
  return records.map((record) => ({ ...record, config }));
};

const current: RunRecord = {
  schema: SCHEMA, name: "a", title: "mine", note: "", isPinned: true, createdAt: 1, savedAt: 2, update: 3, config, standing: "stopped", arithmetic: "simd128",
  heldout: { update: 2, passHat1: 0.5 }, changedAfter: [2], hasWeights: true, isImported: false, writer: "w", deletedAt: null,
};

test("a record of schema 1 becomes one of today, its input unchanged", () => {
  const old = fixture(1);
  const before = structuredClone(old);
  const read = old.map(readRecord);
  expect(read.map((record) => record && [record.schema, record.name, record.standing, record.update, record.savedAt, record.createdAt, record.hasWeights])).toEqual([
    [SCHEMA, "12-34", "finished", 40, 1_800_000_000_000, 1_800_000_000_000, true],
    [SCHEMA, "56-78", "under-way", 3, 1_800_000_001_000, 1_800_000_001_000, true],
  ]);
  expect(read[0]?.config).toEqual(config);
  expect(old).toEqual(before);
});

test("a record of schema 2 tells of no changed settings", () => {
  const [old] = fixture(2);
  expect(readRecord(old)).toEqual({ ...old, schema: SCHEMA, changedAfter: [] });
});

test("every schema so far has a fixture", () => {
  for (let schema = 1; schema < SCHEMA; schema += 1) expect(fixture(schema).length).toBeGreaterThan(0);
});

test("a record of today is read as it is", () => {
  expect(readRecord(current)).toEqual(current);
});

test.each([
  ["of a newer page", { ...current, schema: SCHEMA + 1 }],
  ["with settings that are not known any more", { ...current, config: { ...config, preset: "gone" } }],
  ["with another field", { ...current, extra: 1 }],
  ["without a schema", { name: "a" }],
  ["that is no object", 7],
])("a record %s is left to a version that knows it", (_name, raw) => {
  expect(readRecord(raw)).toBeNull();
});
