import { transfer } from "comlink";
import { createComputeUnit, type ComputeUnit } from "#engine/pool/compute-unit.ts";

/** A unit for whoever is on the other end of a channel: gradient sums, megabytes a step, change hands without a copy. */
export function computeService(): ComputeUnit {
  const unit = createComputeUnit();
  return {
    ...unit,
    async takeShards(from, to) {
      const sums = await unit.takeShards(from, to);
      return transfer(sums, [sums.buffer]);
    },
  };
}
