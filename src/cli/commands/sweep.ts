import { join } from "node:path";
import { parseArgs } from "node:util";
import { MOST_SEEDS, seedBand } from "#core/seeds.ts";
import type { Command } from "../command.ts";
import { wholeNumber } from "../options.ts";
import { UsageError } from "../usage-error.ts";
import { trainOnce } from "./train.ts";

const FEWEST = 2;

function seedsOf(text: unknown): readonly number[] {
  if (typeof text !== "string") throw new UsageError(`--seeds is missing; allowed are ${FEWEST} to ${MOST_SEEDS} seeds, such as 1,2,3`);
  const seeds = text.split(",").map((seed) => wholeNumber("seeds", seed.trim(), 0, 4294967295));
  if (seeds.length < FEWEST || seeds.length > MOST_SEEDS || new Set(seeds).size < seeds.length)
    throw new UsageError(`--seeds is ${JSON.stringify(text)}; allowed are ${FEWEST} to ${MOST_SEEDS} different seeds, such as 1,2,3`);
  return seeds;
}

/** Arguments of one's own, and the rest as it was given. */
function split(argv: readonly string[]): { readonly seeds: unknown; readonly out: unknown; readonly json: boolean; readonly rest: readonly string[] } {
  const options = { seeds: { type: "string" }, out: { type: "string" }, seed: { type: "string" }, json: { type: "boolean" } } as const;
  const { values, tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  if (values.seed !== undefined) throw new UsageError("--seed is for turnwise train; a sweep takes --seeds, such as 1,2,3");
  const own = new Set(tokens.flatMap((token) => (token.kind === "option" && (token.name === "seeds" || token.name === "out") ? [token.index, ...(token.inlineValue === false ? [token.index + 1] : [])] : [])));
  return { seeds: values.seeds, out: values.out, json: values.json === true, rest: argv.filter((_, index) => !own.has(index)) };
}

const shown = (value: number): string => value.toFixed(3);

export const sweep: Command = {
  summary: "train with several seeds, one after the other",
  usage: [
    "usage: turnwise sweep --seeds 1,2,3 --preset PRESET [options of turnwise train]", "",
    `  --seeds LIST        ${FEWEST} to ${MOST_SEEDS} different seeds`,
    "  --out DIR           write each run to DIR/seed-N", "",
    "All other options are those of turnwise train. Ends with the mean over seeds of pass^1 on held-out tasks, its 95 % interval (Student's t) and its range.", "",
  ].join("\n"),
  async run(argv) {
    const { seeds: listed, out, json, rest } = split(argv);
    const seeds = seedsOf(listed);
    const ends: number[] = [];
    for (const seed of seeds) {
      if (!json) process.stderr.write(`seed ${seed}\n`);
      const code = await trainOnce([...rest, "--seed", String(seed), ...(typeof out === "string" ? ["--out", join(out, `seed-${seed}`)] : [])], (event) => {
        if (event.type === "run-finished" && event.heldout.passHatK[0] !== undefined) ends.push(event.heldout.passHatK[0]);
      });
      if (code !== 0) return code;
    }
    const { mean, interval, range } = seedBand(ends);
    if (json) process.stdout.write(`${JSON.stringify({ type: "sweep", seeds, heldout: ends, mean, interval, range })}\n`);
    else process.stdout.write(`held-out pass^1 over ${seeds.length} seeds: mean ${shown(mean)}${interval === null ? "" : ` [${shown(interval[0])}, ${shown(interval[1])}]`}, from ${shown(range[0])} to ${shown(range[1])}\n`);
    return 0;
  },
};
