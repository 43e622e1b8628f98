import { expect, test } from "vitest";
import type { SuccessRow } from "#store/selectors.ts";
import { newestOf, rowsBy, successSummary } from "#ui/charts/success-text.ts";

const row = (update: number, training: number | null, heldout: number | null = null): SuccessRow => ({ update, training, heldout, interval: null });
const ROWS = [row(0, null, 0.31), row(20, 0.4, 0.55), row(42, 0.6), row(50, 0.8, 0.88), row(53, 0.91)];

test("gone back to an update, number and sentence are both as of it", () => {
  const shown = rowsBy(ROWS, 42);
  expect(newestOf(shown)?.heldout).toBe(0.55);
  expect(successSummary(shown, 60)).toBe("Thin: training, 0.60 at update 42. Thick: held-out 0.31 to 0.55 with a 95 % band over tasks.");
  expect(successSummary(rowsBy(ROWS, 10), 60)).toBe("Thick: held-out 0.31 at update 0.");
});

test("at the newest they are as of the whole run", () => {
  expect(newestOf(rowsBy(ROWS, null))?.heldout).toBe(0.88);
  expect(successSummary(rowsBy(ROWS, null), 60)).toBe("Thin: training, 0.91 at update 53. Thick: held-out 0.31 to 0.88 with a 95 % band over tasks.");
  expect(successSummary([], 60)).toBe("Grows with the first update, up to 60. Thick: held-out tasks; thin: training tasks.");
  expect(newestOf([])).toBeUndefined();
});
