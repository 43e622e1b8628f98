import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readCollection } from "#environments/sokoban/collection.ts";
import { replay } from "#environments/sokoban/solution.ts";
import { solve } from "#environments/sokoban/solver.ts";
import type { Check } from "./registry.ts";

const FOLDER = process.env["TURNWISE_DATA"] ?? "../shared/data";
const MOST_MEDIAN_MS = 50;

/** The hundred Boxoban levels of the data folder: each solved, in the fewest pushes there are, and how long the search took. */
export const sokobanSolves: Check = {
  async run(progress) {
    const levels = readCollection(await readFile(join(FOLDER, "sokoban/boxoban_unfiltered_first100.txt"), "utf8")).flatMap(({ level }) => level ?? []);
    const times: number[] = [];
    const states: number[] = [];
    let solved = 0;
    for (const level of levels) {
      const since = performance.now();
      const solution = solve(level);
      times.push(performance.now() - since);
      states.push(solution.states);
      if (solution.kind === "solved" && replay(level, solution.moves).solved) solved += 1;
    }
    const at = (values: readonly number[], share: number): number => values.toSorted((a, b) => a - b)[Math.floor(share * values.length)] ?? Number.NaN;
    progress(`${solved} of ${levels.length} solved`);
    const median = at(times, 0.5);
    return {
      passed: levels.length === 100 && solved === levels.length && median < MOST_MEDIAN_MS,
      figures: {
        levels: levels.length, solved, "median ms": Math.round(median * 10) / 10, "90th percentile ms": Math.round(at(times, 0.9) * 10) / 10,
        "slowest ms": Math.round(at(times, 0.999)), "median states": at(states, 0.5),
      },
    };
  },
};
