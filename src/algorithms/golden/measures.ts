import * as v from "valibot";
import { mulberry32 } from "#core/mulberry32.ts";
import { bootstrapInterval, passAtK, passHatK } from "#core/statistics.ts";
import { hasSignal } from "#algorithms/returns.ts";
import { golden, numbers, scorable, whole } from "./packing.ts";
import type { GoldenFunctions } from "./packing.ts";

const passInputs = v.object({ successes: numbers, trials: numbers, k: v.pipe(whole, v.minValue(1)) });

/** What decides on groups and evaluations. */
export const MEASURE_FUNCTIONS: GoldenFunctions = {
  dynamicSampling: golden(v.object({ groups: v.array(scorable) }), ({ groups }) => ({ keep: groups.map(hasSignal) })),
  passHatK: golden(passInputs, ({ successes, trials, k }) => ({ ...passHatK(successes, trials, k) })),
  passAtK: golden(passInputs, ({ successes, trials, k }) => ({ ...passAtK(successes, trials, k) })),
  bootstrapInterval: golden(
    v.object({ values: numbers, resamples: whole, level: v.number(), seed: v.number() }),
    ({ values, resamples, level, seed }) => ({ ...bootstrapInterval(values, resamples, level, mulberry32(seed)) }),
  ),
};
