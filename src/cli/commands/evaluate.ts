import { parseArgs } from "node:util";
import { withArena } from "../arena.ts";
import { evaluate as measure } from "#trainer/evaluate.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import type { Command } from "../command.ts";
import { FLAVOURS, loadCheckpoint, openExecutor } from "../host.ts";
import { configured, inRangeOf, oneOfWords, presetOf, wholeNumber } from "../options.ts";
import { UsageError } from "../usage-error.ts";

export const evaluate: Command = {
  summary: "measure a policy on tasks it was not trained on",
  usage: [
    "usage: turnwise evaluate --policy FILE --preset PRESET [options]", "",
    "  --policy FILE       a checkpoint (safetensors)",
    "  --preset PRESET     the environment and harness it acts in",
    "  --split NAME        heldout or shifted (default heldout)",
    "  --tasks N           (default 256)",
    "  --trials N          a task (default 8)",
    "  --seed N            of tasks and trials; runs use 0 (default 0)",
    "  --arithmetic NAME   simd128 or relaxed (default simd128)",
    "  --set PATH=VALUE    one setting of the preset; may be repeated",
    "  --json              the report as one line of JSON", "",
  ].join("\n"),
  async run(argv) {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        policy: { type: "string" }, preset: { type: "string" }, split: { type: "string", default: "heldout" }, tasks: { type: "string", default: "256" },
        trials: { type: "string", default: "8" }, seed: { type: "string", default: "0" }, arithmetic: { type: "string", default: "simd128" },
        set: { type: "string", multiple: true, default: [] }, json: { type: "boolean", default: false },
      },
    });
    if (values.policy === undefined) throw new UsageError("--policy is missing: which checkpoint?");
    const config = configured(presetOf(values.preset), values.set);
    const request = {
      split: oneOfWords("split", values.split, ["heldout", "shifted"]), tasks: inRangeOf("evaluation.tasks", "tasks", values.tasks),
      trials: inRangeOf("evaluation.trials", "trials", values.trials), seed: wholeNumber("seed", values.seed, 0, 4294967295), greedy: true,
    };
    const checkpoint = await loadCheckpoint(values.policy);
    const executor = await openExecutor("wasm", oneOfWords("arithmetic", values.arithmetic, FLAVOURS));
    return withArena(config, async (arena) => {
      const policy = openPolicy(executor, config, arena, checkpoint);
      const report = await measure(arena, policy, request, () => Promise.resolve());
      if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`);
      else {
        process.stdout.write(`${report.tasks} ${report.split} tasks × ${report.trials} trials, greedy ${report.greedy?.toFixed(3) ?? "–"}\n`);
        for (const [index, rate] of report.passHatK.entries()) {
          const interval = report.passHatKInterval[index];
          process.stdout.write(`pass^${index + 1} ${rate.toFixed(3)} [${interval?.map((bound) => bound.toFixed(3)).join(", ") ?? ""}]   pass@${index + 1} ${report.passAtK[index]?.toFixed(3) ?? ""}\n`);
        }
      }
      return 0;
    });
  },
};
