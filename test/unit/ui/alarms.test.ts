import { expect, test } from "vitest";
import { PRESETS } from "#run/run-config.ts";
import type { UpdateMetrics } from "#run/run-event.ts";
import { createRng } from "#core/rng.ts";
import { INITIAL_RUN, type RunState } from "#store/run-state.ts";
import { appendUpdate, EMPTY_SERIES } from "#store/series.ts";
import { alarmsAt } from "#ui/signal/alarms.ts";
import { fakeMetrics, fakeReport } from "../../fixtures/fake-run.ts";

const CALM: Partial<UpdateMetrics> = { success: 0.5, kl: 0.001, entropy: 0.2, gradNorm: 0.5, noSignalShare: 0.3 };

/** A run of `updates`, with these metrics at each. */
function runOf(updates: number, metrics: (update: number) => Partial<UpdateMetrics>, extra: Partial<RunState> = {}): RunState {
  const rng = createRng(1);
  let series = EMPTY_SERIES;
  for (let update = 1; update <= updates; update += 1) series = appendUpdate(series, update, { ...fakeMetrics(update, rng), ...CALM, ...metrics(update) });
  return { ...INITIAL_RUN, update: updates, series, config: PRESETS["refund-desk"], ...extra };
}
const textOf = (run: RunState, at: number | null = null): string => alarmsAt(run, at).map(({ text }) => text).join(" ");
const evaluation = (chance: number) => ({ update: 10, report: { ...fakeReport("heldout", 0.6), passHatK: [chance, chance - 0.02], passAtK: [chance, chance + 0.02] } });

test("a run that goes well, and a page without a run, raise none", () => {
  expect(alarmsAt(INITIAL_RUN, null)).toEqual([]);
  expect(alarmsAt(runOf(20, () => ({})), null)).toEqual([]);
});

test("steps that are too large", () => {
  const run = runOf(20, (update) => ({ kl: update > 10 ? 0.013 : 0.001 }));
  expect(alarmsAt(run, null)).toMatchObject([{ metric: "kl" }]);
  expect(textOf(run)).toContain("KL 0.013 per update, above 0.01");
  expect(textOf(run, 10)).toBe("");
});

test("groups without signal: rising, or nearly all, while there is much to learn; not where nearly all succeed", () => {
  expect(textOf(runOf(40, (update) => ({ noSignalShare: update / 50 })))).toMatch(/rose from \d+ % to 76 %/);
  expect(textOf(runOf(40, () => ({ noSignalShare: 0.95 })))).toContain("In 95 % of groups no turn gets credit");
  expect(textOf(runOf(40, () => ({ noSignalShare: 0.6 })))).toBe("");
  expect(textOf(runOf(40, (update) => ({ noSignalShare: update / 42, success: 0.9 })))).toBe("");
});

test("a policy that collapsed, and low entropy that is deserved", () => {
  expect(textOf(runOf(5, () => ({ entropy: 0.004 })))).toContain("Policy collapsed: entropy 0.004");
  expect(textOf(runOf(5, () => ({ entropy: 0.004, success: 0.95 })))).toBe("");
});

test("a policy that fails the same tasks every time", () => {
  const run = runOf(20, () => ({}), { evaluations: { current: evaluation(0.45) }, past: [evaluation(0.45)] });
  expect(textOf(run)).toContain("pass^1 0.45 is close to pass^2 0.43");
  expect(textOf(run, 5)).toBe("");
  expect(textOf(runOf(20, () => ({}), { evaluations: { current: evaluation(0.9) } }))).toBe("");
});

test("an entropy bonus that nothing holds against", () => {
  const base = PRESETS["refund-desk"];
  const config = { ...base, algorithm: { ...base.algorithm, objective: { ...base.algorithm.objective, entropyCoefficient: 0.01 } } };
  expect(textOf(runOf(5, () => ({ gradNorm: 0.01 }), { config }))).toContain("entropy can run away");
  expect(textOf(runOf(5, () => ({ gradNorm: 0.01 })))).toBe("");
  expect(textOf(runOf(5, () => ({}), { config }))).toBe("");
});

test("numbers that are missing raise none", () => {
  expect(alarmsAt(runOf(20, () => ({ kl: null, entropy: null, gradNorm: null })), null)).toEqual([]);
});
