import type { Split, Task } from "#core/environment.ts";
import { readLevel } from "#environments/sokoban/level-reader.ts";
import { symmetricText } from "#environments/sokoban/symmetry.ts";
import { PRESETS } from "#run/run-config.ts";
import type { Check } from "./registry.ts";
import { eventsOf, finished, trainedEvents } from "./training.ts";

const LEAST = 0.9;
const HELD_OUT = 512;
const MOST_SECONDS = 150;

/** Text of a level that its turns and mirrors share, by the task's id: the board, row by row. */
const textOf = ({ id }: Task): string => symmetricText(readLevel(id.split("|")));

/** Levels of training and of evaluation, turns and mirrors of one level counted as one. */
class Levels {
  readonly #train = new Set<string>();
  readonly #heldout = new Set<string>();

  add(split: Split, tasks: readonly Task[]): void {
    const texts = split === "train" ? this.#train : split === "heldout" ? this.#heldout : null;
    if (texts) for (const task of tasks) texts.add(textOf(task));
  }

  get figures(): { readonly trained: number; readonly heldout: number; readonly shared: number } {
    return { trained: this.#train.size, heldout: this.#heldout.size, shared: [...this.#heldout].filter((text) => this.#train.has(text)).length };
  }
}

/**
 * The three presets from their base policies: held-out pass^1 before and after, and the seconds of training. Only the first has bounds;
 * no held-out level of any may be a turn or a mirror of one that was trained on.
 */
export const sokobanLearns: Check = {
  async run(progress) {
    const figures: Record<string, number> = {};
    let passed = true;
    for (const preset of ["sokoban", "sokoban-5x5", "sokoban-two-boxes"] as const) {
      const levels = new Levels();
      const events = await trainedEvents(PRESETS[preset], { asked: (split, tasks) => levels.add(split, tasks) });
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
      const { trained, heldout: measured, shared } = levels.figures;
      figures[`${preset}, levels trained on`] = trained;
      figures[`${preset}, levels held out`] = measured;
      figures[`${preset}, levels in both`] = shared;
      passed &&= shared === 0 && trained > 0;
      if (preset === "sokoban") passed &&= heldout.tasks === HELD_OUT && (heldout.passHatK[0] ?? 0) >= LEAST && timing.seconds <= MOST_SECONDS;
      progress(`${preset}: ${base?.passHatK[0]?.toFixed(3)} to ${heldout.passHatK[0]?.toFixed(3)} in ${timing.seconds.toFixed(1)} s`);
    }
    return { passed, figures };
  },
};
