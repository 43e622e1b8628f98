import { PRESETS } from "#run/run-config.ts";
import type { Check } from "./registry.ts";
import { eventsOf, finished, trainedEvents } from "./training.ts";

/** Held-out success after training, as a multiple of the base policy's. */
const LEAST = 1.7;
const MOST_SECONDS = 180;

const interval = (ends: readonly [number, number] | null | undefined): string => (ends ? `[${ends[0].toFixed(3)}, ${ends[1].toFixed(3)}]` : "none");

/** Trained on the hidden verifier: held-out mutations of seen functions, and functions never seen. */
export const jsSandboxLearns: Check = {
  async run(progress) {
    const events = await trainedEvents(PRESETS["js-sandbox"]);
    const { heldout, shifted, timing } = finished(events);
    const base = eventsOf(events, "evaluation").find(({ subject }) => subject === "base")?.report;
    const [before, after] = [base?.passHatK[0] ?? 0, heldout.passHatK[0] ?? 0];
    const enough = eventsOf(events, "evaluation").find(({ subject, report }) => subject === "current" && (report.passHatK[0] ?? 0) >= LEAST * before);
    const seconds = eventsOf(events, "update").find(({ update }) => update === enough?.update)?.timing.seconds ?? Infinity;
    progress(`held-out ${before.toFixed(3)} to ${after.toFixed(3)} in ${timing.seconds.toFixed(1)} s; ${LEAST} times the base after ${seconds.toFixed(1)} s`);
    return {
      passed: after >= LEAST * before && seconds <= MOST_SECONDS,
      figures: {
        "held-out, base": before, "held-out, base, greedy": base?.greedy ?? 0, "held-out, trained": after, "held-out, trained, interval": interval(heldout.passHatKInterval[0]),
        "held-out, trained, greedy": heldout.greedy ?? 0, "held-out, pass^8": heldout.passHatK[7] ?? 0, "times the base": after / before,
        shifted: shifted.passHatK[0] ?? 0, "shifted, interval": interval(shifted.passHatKInterval[0]), [`seconds until it is ${LEAST} times the base, evaluations included`]: seconds, "seconds of all": timing.seconds,
      },
    };
  },
};
