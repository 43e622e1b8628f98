import type { SuccessRow } from "#store/selectors.ts";
import { fixed } from "../format.ts";

/** What was known by the update that is shown; all of it where that is the newest. */
export const rowsBy = (rows: readonly SuccessRow[], at: number | null): readonly SuccessRow[] => (at === null ? rows : rows.filter(({ update }) => update <= at));

/** Held-out where there is any. */
export const newestOf = (rows: readonly SuccessRow[]): SuccessRow | undefined => rows.findLast((row) => row.heldout !== null) ?? rows.at(-1);

/** What the curves say, as of the last of these rows. @param updates the run is to have */
export function successSummary(rows: readonly SuccessRow[], updates: number): string {
  const training = rows.findLast((row) => row.training !== null);
  const tests = rows.filter((row) => row.heldout !== null);
  const [first, last] = [tests[0], tests.at(-1)];
  if (training === undefined && last === undefined) return `Grows with the first update, up to ${updates}. Thick: held-out tasks; thin: training tasks.`;
  const heldout =
    first?.heldout == null || last?.heldout == null
      ? "no held-out evaluation yet"
      : first === last
        ? `held-out ${fixed(last.heldout)} at update ${last.update}`
        : `held-out ${fixed(first.heldout)} to ${fixed(last.heldout)} with a 95 % band over tasks`;
  const thin = training?.training == null ? "" : `Thin: training, ${fixed(training.training)} at update ${training.update}. `;
  return `${thin}Thick: ${heldout}.`;
}
