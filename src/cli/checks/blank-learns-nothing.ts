import { PRESETS } from "#run/run-config.ts";
import type { Check } from "./registry.ts";
import { eventsOf, finished, trainedEvents } from "./training.ts";

const FREE_UPDATES = 40;
const MASKED_UPDATES = 150;
/** What always denying wins on held-out tasks, and how far a run may be from it. */
const ALWAYS_DENY = 0.4;
const NEAR = 0.03;

/** From blank: free decoding gives no group a signal; under the legal-token mask it ends at "always deny" and no further. */
export const blankLearnsNothing: Check = {
  async run(progress) {
    const blank = { ...PRESETS["refund-desk"], from: "blank" };
    const free = await trainedEvents({ ...blank, updates: FREE_UPDATES, harness: { ...blank.harness, constrained: false } });
    const noSignal = eventsOf(free, "update").map(({ metrics }) => metrics.noSignalShare);
    const freeShare = noSignal.filter((share) => share === 1).length / noSignal.length;
    const weights = [...eventsOf(free, "run-started"), ...eventsOf(free, "checkpoint")].map(({ fingerprint }) => fingerprint);
    const unchanged = new Set(weights).size === 1;
    progress(`free decoding: ${(100 * freeShare).toFixed(1)} % of updates had no group with signal`);
    const masked = await trainedEvents({ ...blank, updates: MASKED_UPDATES });
    const { heldout } = finished(masked);
    const zero = eventsOf(masked, "update").slice(0, 60).reduce((sum, { metrics }) => sum + metrics.allZeroShare, 0) / 60;
    const success = heldout.passHatK[0] ?? 0;
    progress(`under the mask: held-out pass^1 ${success.toFixed(3)} after ${MASKED_UPDATES} updates`);
    return {
      passed: freeShare === 1 && unchanged && Math.abs(success - ALWAYS_DENY) <= NEAR,
      figures: {
        "free decoding, updates without any signal": freeShare,
        "free decoding, weights at the end": unchanged ? "those of the start" : "changed",
        "free decoding, heldout pass^1": finished(free).heldout.passHatK[0] ?? 0,
        "masked, share of all-zero groups in the first 60 updates": zero,
        "masked, heldout pass^1": success,
        "masked, heldout pass^8": heldout.passHatK[7] ?? 0,
        "masked, mean turns": heldout.meanTurns,
      },
    };
  },
};
