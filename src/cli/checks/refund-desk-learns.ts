import { PRESETS } from "#run/run-config.ts";
import type { Check } from "./registry.ts";
import { finished, trainedEvents } from "./training.ts";

const SEEDS = [1, 2, 3] as const;
const LEAST = { pass1: 0.85, pass8: 0.75 } as const;
const MOST_SECONDS = 75;
const MOST_SECONDS_TO_LEAST = 30;

/** From the base policy on one thread, three seeds: held-out pass^1 and pass^8, the seconds of training and of its way to the least pass^1. */
export const refundDeskLearns: Check = {
  async run(progress) {
    const figures: Record<string, number> = {};
    let passed = true;
    for (const seed of SEEDS) {
      const began = performance.now();
      let toLeast = Number.POSITIVE_INFINITY;
      const events = await trainedEvents({ ...PRESETS["refund-desk"], seed }, {
        enough: (event) => {
          const isThere = event.type === "evaluation" && event.subject === "current" && (event.report.passHatK[0] ?? 0) >= LEAST.pass1;
          if (isThere) toLeast = Math.min(toLeast, (performance.now() - began) / 1000);
          return false;
        },
      });
      const { heldout, shifted, timing } = finished(events);
      const [pass1 = 0, pass8 = 0] = [heldout.passHatK[0], heldout.passHatK[7]];
      figures[`seed ${seed}, heldout pass^1`] = pass1;
      figures[`seed ${seed}, heldout pass^8`] = pass8;
      figures[`seed ${seed}, heldout greedy`] = heldout.greedy ?? 0;
      figures[`seed ${seed}, shifted pass^1`] = shifted.passHatK[0] ?? 0;
      figures[`seed ${seed}, training seconds`] = Math.round(timing.seconds * 10) / 10;
      figures[`seed ${seed}, seconds to heldout pass^1 ${LEAST.pass1}`] = Math.round(toLeast * 10) / 10;
      passed &&= pass1 >= LEAST.pass1 && pass8 >= LEAST.pass8 && timing.seconds <= MOST_SECONDS && toLeast <= MOST_SECONDS_TO_LEAST;
      progress(`seed ${seed}: pass^1 ${pass1.toFixed(3)}, pass^8 ${pass8.toFixed(3)}, shifted ${shifted.passHatK[0]?.toFixed(3)}, ${timing.seconds.toFixed(1)} s, ${toLeast.toFixed(1)} s to ${LEAST.pass1}`);
    }
    return { passed, figures };
  },
};
