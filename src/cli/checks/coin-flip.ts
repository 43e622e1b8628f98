import { mean } from "#core/statistics.ts";
import { PRESETS } from "#run/run-config.ts";
import { withRecipe } from "#run/recipe.ts";
import { studentQuantile } from "#trainer/truth/interval.ts";
import type { Check } from "./registry.ts";
import { eventsOf, finished, trainedEvents } from "./training.ts";

const SEEDS = [1, 2, 3, 4, 5] as const;
const UPDATES = 60;
/** Of the mean change of held-out pass^1. */
const MOST = 0.02;

/** A reward that knows nothing teaches nothing: what would still improve under it was not learnt from the reward. */
export const coinFlip: Check = {
  async run(progress) {
    const figures: Record<string, number> = {};
    const changes: number[] = [];
    for (const seed of SEEDS) {
      const preset = withRecipe(PRESETS["refund-desk"], "random-reward");
      const events = await trainedEvents({ ...preset, seed, updates: UPDATES, evaluation: { ...preset.evaluation, every: UPDATES } });
      const before = eventsOf(events, "evaluation").find(({ subject }) => subject === "base")?.report.passHatK[0] ?? 0;
      const after = finished(events).heldout.passHatK[0] ?? 0;
      changes.push(after - before);
      figures[`seed ${seed}, heldout pass^1 before`] = round(before);
      figures[`seed ${seed}, heldout pass^1 after ${UPDATES} updates`] = round(after);
      progress(`seed ${seed}: ${before.toFixed(3)} -> ${after.toFixed(3)}`);
    }
    const centre = mean(changes);
    const deviation = Math.sqrt(changes.reduce((sum, change) => sum + (change - centre) ** 2, 0) / (changes.length - 1));
    const half = (studentQuantile(changes.length - 1) * deviation) / Math.sqrt(changes.length);
    figures["mean change of heldout pass^1"] = round(centre);
    figures["95 % interval over seeds, low"] = round(centre - half);
    figures["95 % interval over seeds, high"] = round(centre + half);
    return { passed: centre + half <= MOST, figures };
  },
};

const round = (value: number): number => Math.round(value * 1e4) / 1e4;
