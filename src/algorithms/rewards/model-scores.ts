import type { Judged } from "#core/credit.ts";
import { ConfigError } from "#core/errors.ts";

/** [turns] @throws ConfigError when the trainer handed over none. */
export function modelScoresOf({ modelScores }: Judged, source: string): Float32Array {
  if (modelScores !== undefined) return modelScores;
  throw new ConfigError(`reward is "${source}", which needs scores of a second network; there are none here`, { path: "reward", got: source });
}
