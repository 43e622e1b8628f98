import { PRESETS } from "#run/run-config.ts";
import type { Check } from "./registry.ts";
import { eventsOf, finished, trainedEvents } from "./training.ts";

const LEAST = 0.9;
const MOST_SECONDS = 150;

/** The three presets from their base policies: held-out pass^1 before and after, and the seconds of training. Only the first has a bound. */
export const sokobanLearns: Check = {
  async run(progress) {
    const figures: Record<string, number> = {};
    let passed = true;
    for (const preset of ["sokoban", "sokoban-5x5", "sokoban-two-boxes"] as const) {
      const events = await trainedEvents(PRESETS[preset]);
      const { heldout, shifted, timing } = finished(events);
      const base = eventsOf(events, "evaluation").find(({ subject }) => subject === "base")?.report;
      figures[`${preset}, base pass^1`] = base?.passHatK[0] ?? 0;
      figures[`${preset}, base greedy`] = base?.greedy ?? 0;
      figures[`${preset}, held-out pass^1`] = heldout.passHatK[0] ?? 0;
      figures[`${preset}, held-out pass^8`] = heldout.passHatK[7] ?? 0;
      figures[`${preset}, held-out greedy`] = heldout.greedy ?? 0;
      figures[`${preset}, shifted pass^1`] = shifted.passHatK[0] ?? 0;
      figures[`${preset}, deadlocked`] = heldout.monitors["deadlock"] ?? 0;
      figures[`${preset}, training seconds`] = Math.round(timing.seconds * 10) / 10;
      if (preset === "sokoban") passed = (heldout.passHatK[0] ?? 0) >= LEAST && timing.seconds <= MOST_SECONDS;
      progress(`${preset}: ${base?.passHatK[0]?.toFixed(3)} to ${heldout.passHatK[0]?.toFixed(3)} in ${timing.seconds.toFixed(1)} s`);
    }
    return { passed, figures };
  },
};
