import { parseArgs } from "node:util";
import { withArena } from "../arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { record as search } from "#trainer/record.ts";
import type { Command } from "../command.ts";
import { checkpointFor, openExecutor, save } from "../host.ts";
import { presetOf, wholeNumber } from "../options.ts";
import { UsageError } from "../usage-error.ts";

export const record: Command = {
  summary: "find the group that is shown before anything runs",
  usage: [
    "usage: turnwise record --preset PRESET --out FILE [options]", "",
    "  --preset PRESET   whose environment, base policy and credit are used",
    "  --out FILE        where the recording goes (JSON)",
    "  --policy FILE     a checkpoint instead of the base policy",
    "  --seed N          of tasks and attempts (default 0)",
    "  --tasks N         training tasks looked through (default 400)",
    "  --attempts N      at each (default 64)", "",
  ].join("\n"),
  async run(argv) {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        preset: { type: "string" }, out: { type: "string" }, policy: { type: "string", default: "base" }, seed: { type: "string", default: "0" },
        tasks: { type: "string", default: "400" }, attempts: { type: "string", default: "64" },
      },
    });
    const { out } = values;
    if (out === undefined) throw new UsageError("--out is missing: where should the recording go?");
    const config = presetOf(values.preset);
    const settings = {
      seed: wholeNumber("seed", values.seed, 0, 4294967295), tasks: wholeNumber("tasks", values.tasks, 1, 10_000), attempts: wholeNumber("attempts", values.attempts, 4, 1024),
    };
    const checkpoint = await checkpointFor(values.policy, config.preset);
    // Recordings are made in the arithmetic that is the same everywhere.
    const executor = await openExecutor("wasm", "simd128");
    return withArena(config, async (arena) => {
      const recording = await search({ config, arena, executor, policy: openPolicy(executor, config, arena, checkpoint) }, settings);
      await save(out, `${JSON.stringify(recording)}\n`);
      for (const [index, { turns, reward }] of recording.group.members.entries()) {
        const calls = turns.map(({ action }) => (action.kind === "tool" ? [action.name, ...Object.values(action.args).map((value) => JSON.stringify(value))].join(" ") : action.kind));
        process.stdout.write(`${recording.roles[index] ?? index}  reward ${reward}  ${calls.join(", ")}\n`);
      }
      return 0;
    });
  },
};
