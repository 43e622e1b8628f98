import { parseArgs } from "node:util";
import { createRng } from "#core/rng.ts";
import { baselineRates } from "#environments/rates.ts";
import { PRESETS, type PresetId } from "#run/run-config.ts";
import { withArena } from "../arena.ts";
import type { Command } from "../command.ts";
import { UsageError } from "../usage-error.ts";

const isPreset = (name: string): name is PresetId => Object.hasOwn(PRESETS, name);

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`--${name} takes a whole number from ${least}, got "${text}"`);
}

export const baselines: Command = {
  summary: "how often scripted agents succeed on held-out tasks, so that no figure is won by making the world easy",
  usage: `usage: turnwise baselines --preset NAME [--tasks 2000] [--seed 0] [--json]

  --preset NAME   one of ${Object.keys(PRESETS).join(", ")}
  --tasks N       held-out tasks, one episode each (2000)
  --seed N        of tasks and chance (0)
  --json          one line: the success of each agent, and the oracle's mean turns
`,
  async run(argv) {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        preset: { type: "string" },
        tasks: { type: "string", default: "2000" },
        seed: { type: "string", default: "0" },
        json: { type: "boolean", default: false },
      },
    });
    const { preset = "" } = values;
    if (!isPreset(preset)) throw new UsageError(`--preset takes one of ${Object.keys(PRESETS).join(", ")}, got "${preset}"`);
    const count = wholeNumber("tasks", values.tasks, 1);
    const seed = wholeNumber("seed", values.seed, 0);

    const rates = await withArena(PRESETS[preset], ({ environment, tasks, budget }) =>
      baselineRates(environment, tasks("heldout", count, createRng(seed).fork("tasks")), budget.turns, seed));
    if (!values.json) {
      for (const [name, { success, turns }] of Object.entries(rates)) {
        process.stdout.write(`${name.padEnd(12)} ${success.toFixed(3)}  ${turns.toFixed(2)} turns\n`);
      }
      return 0;
    }
    const line = Object.fromEntries(Object.entries(rates).map(([name, { success }]) => [name, success]));
    process.stdout.write(`${JSON.stringify({ ...line, oracleTurns: rates["oracle"]?.turns ?? null })}\n`);
    return 0;
  },
};
