import { expect, test } from "vitest";
import { PRESETS } from "#run/run-config.ts";
import { createRunStore } from "#store/run-store.ts";
import { reliabilityRows } from "#store/selectors.ts";
import { reliabilityTable } from "#ui/reliability/reliability-table.ts";
import { fakeRun } from "../../fixtures/fake-run.ts";

const config = { ...PRESETS["refund-desk"], updates: 6, evaluation: { every: 3, tasks: 8, trials: 4 } };

function tableAfter(update: number) {
  const run = createRunStore();
  const events = [...fakeRun(config)];
  run.apply(events.slice(0, events.findIndex((event) => event.type === "update" && event.update === update) + 1));
  const { evaluations, shifted } = run.getState();
  return reliabilityTable(reliabilityRows(evaluations), shifted?.report, config.evaluation.every);
}

test("before anything is evaluated the table says when that will be", () => {
  expect(reliabilityTable([], undefined, 50)).toEqual({ columns: [], rows: [], note: "Nothing evaluated yet: the base policy is, with the first update." });
});

test("before the current policy is evaluated there are no empty columns for it, and a note says when there will be", () => {
  const { columns, rows, note } = tableAfter(2);
  expect(columns).toEqual(["k", "base ^", "base @", "scripted ^", "scripted @"]);
  expect(rows).toHaveLength(8);
  expect(rows.flat().every((cell) => cell !== "")).toBe(true);
  expect(note).toContain("first evaluated at update 3");
});

test("afterwards every number of the drawing stands in it", () => {
  const { columns, rows, note } = tableAfter(5);
  expect(columns).toEqual(["k", "pass^k", "95 % of pass^k", "pass@k", "95 % of pass@k", "base ^", "base @", "scripted ^", "scripted @"]);
  expect(rows.every((row) => row.length === columns.length && row.every((cell) => cell !== ""))).toBe(true);
  expect(note).not.toContain("first evaluated");
});
