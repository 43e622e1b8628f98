import type { Evidence, EvidenceMark } from "./evidence.ts";

type Marked = Pick<Evidence, "arithmetic" | "start" | "marks">;

/** How a run compares with one that was recorded under the same settings. */
export type Reproduction =
  /** Nothing to compare yet. */
  | { readonly kind: "waiting" }
  /** The weights' bits agree at every mark so far. */
  | { readonly kind: "same"; readonly until: number; readonly isWhole: boolean }
  /** They do not, nor need they: another arithmetic or device. Curve and weights stay as close as chance leaves them. */
  | { readonly kind: "within"; readonly until: number; readonly isWhole: boolean; readonly success: number; readonly drift: number }
  /** Alike up to `after`, no more at `by`; `after` 0 with `by` 0 is another starting policy. */
  | { readonly kind: "diverged"; readonly after: number; readonly by: number; readonly what: "bits" | "curve" };

/** Arithmetics in which the same settings give the same bits on every machine. */
const EXACT: ReadonlySet<Marked["arithmetic"]> = new Set(["simd128"]);

/** Standard errors that two shares of successes may lie apart: with 32 marks one run in 500 would be called diverged by chance. */
const ERRORS = 4;
/** Of the distance that the weights have gone; see docs/method.md for what was measured. */
const DRIFT = 0.05;
/** What the link rounds to. */
const ROUNDING = 0.006;

interface Closeness {
  readonly success: number;
  /** Relative. */
  readonly drift: number;
  readonly isClose: boolean;
}

/** @param trajectories that went into each mark's share */
function closeness(a: EvidenceMark, b: EvidenceMark, trajectories: number): Closeness {
  const spread = (share: number): number => share * (1 - share) + 1 / (4 * trajectories);
  const success = Math.abs(a.success - b.success);
  const far = Math.max(a.drift, b.drift);
  const drift = far === 0 ? 0 : Math.abs(a.drift - b.drift) / far;
  const error = Math.sqrt((spread(a.success) + spread(b.success)) / trajectories);
  return { success, drift, isClose: success <= ERRORS * error + ROUNDING && drift <= DRIFT };
}

/**
 * Compares mark by mark. Where both runs are in one arithmetic that is exact, a bit that differs is a divergence; elsewhere "same" is said
 * where the bits agree all the same, and else the curve of successes and the way of the weights are held to a tolerance.
 * @param perUpdate trajectories sampled for an update
 */
export function reproduction(recorded: Marked, run: Marked, perUpdate: number): Reproduction {
  const isExact = recorded.arithmetic === run.arithmetic && EXACT.has(run.arithmetic);
  if (recorded.start !== run.start) return { kind: "diverged", after: 0, by: 0, what: "bits" };
  const pairs = recorded.marks.flatMap((mark, index) => {
    const own = run.marks[index];
    return own === undefined ? [] : [{ mark, own, before: recorded.marks[index - 1]?.update ?? 0 }];
  });
  const last = pairs.at(-1);
  if (last === undefined) return { kind: "waiting" };
  const [until, isWhole] = [last.mark.update, pairs.length === recorded.marks.length];
  const differs = pairs.find(({ mark, own }) => mark.hash !== own.hash);
  if (differs === undefined) return { kind: "same", until, isWhole };
  if (isExact) return { kind: "diverged", after: differs.before, by: differs.mark.update, what: "bits" };
  const compared = pairs.map((pair) => ({ ...pair, ...closeness(pair.mark, pair.own, Math.max(1, (pair.mark.update - pair.before) * perUpdate)) }));
  const off = compared.find(({ isClose }) => !isClose);
  if (off !== undefined) return { kind: "diverged", after: off.before, by: off.mark.update, what: "curve" };
  return { kind: "within", until, isWhole, success: Math.max(...compared.map(({ success }) => success)), drift: Math.max(...compared.map(({ drift }) => drift)) };
}
