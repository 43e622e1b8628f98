import { expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import { appendUpdate, EMPTY_SERIES, SERIES_LIMIT, type Series } from "#store/series.ts";
import { fakeMetrics } from "../../fixtures/fake-run.ts";

const metrics = fakeMetrics(1, createRng(1));

function seriesOf(length: number, value: (update: number) => number): Series {
  let series = EMPTY_SERIES;
  for (let update = 1; update <= length; update += 1) series = appendUpdate(series, update, { ...metrics, success: value(update) });
  return series;
}

test("short runs are kept update by update", () => {
  const { stride, points } = seriesOf(SERIES_LIMIT, (update) => update);
  expect(stride).toBe(1);
  expect(points.map(({ values }) => values.success)).toEqual(Array.from({ length: SERIES_LIMIT }, (_, index) => index + 1));
});

test.each([151, 299, 300, 301, 1234, 5000])("%i updates fit the limit, tile the run and keep its mean", (length) => {
  const { stride, points } = seriesOf(length, (update) => update);
  expect(points.length).toBeLessThanOrEqual(SERIES_LIMIT);
  let next = 1;
  for (const { from, to, updates } of points) {
    expect(from).toBe(next);
    expect(updates).toBe(to - from + 1);
    expect(updates).toBeLessThanOrEqual(stride);
    next = to + 1;
  }
  expect(next).toBe(length + 1);
  const total = points.reduce((sum, { updates, values }) => sum + updates * (values.success ?? 0), 0);
  expect(total / length).toBeCloseTo((length + 1) / 2);
});

test("updates without signal have no gradient norm and do not pull its mean down", () => {
  let series: Series = { stride: 2, points: [] };
  series = appendUpdate(series, 1, { ...metrics, gradNorm: null });
  expect(series.points[0]?.values.gradNorm).toBeNull();
  series = appendUpdate(series, 2, { ...metrics, gradNorm: 3 });
  expect(series.points).toHaveLength(1);
  expect(series.points[0]?.values.gradNorm).toBe(3);
});
