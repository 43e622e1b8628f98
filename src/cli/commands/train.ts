import { join } from "node:path";
import { parseArgs } from "node:util";
import { BoundaryError, ConfigError } from "#core/errors.ts";
import { writeCheckpoint } from "#engine/checkpoint.ts";
import { RECIPE_IDS } from "#run/recipe.ts";
import { toWire } from "#run/wire-error.ts";
import type { RunEvent } from "#run/run-event.ts";
import { writeRunFile } from "#share/run-file.ts";
import { withArena } from "../arena.ts";
import { modelOf, openPolicy, policyOptionsOf } from "#trainer/open-policy.ts";
import { networksOf } from "#trainer/scorer/open.ts";
import { train as trainRun } from "#trainer/train.ts";
import type { Command } from "../command.ts";
import { arithmeticOf, BACKENDS, checkpointFor, makeFolder, openExecutor, save } from "../host.ts";
import { tellLink } from "../evidence-link.ts";
import { configured, oneOfWords, presetOf, underRecipe, wholeNumber } from "../options.ts";
import { progressWriter } from "../progress.ts";
import { onThreads, THREADS_USAGE, threadsOf } from "../threads.ts";

const OPTIONS = {
  preset: { type: "string" }, recipe: { type: "string" }, backend: { type: "string", default: "wasm" }, arithmetic: { type: "string" },
  seed: { type: "string" }, threads: { type: "string" }, updates: { type: "string" }, from: { type: "string" },
  set: { type: "string", multiple: true, default: [] as string[] }, out: { type: "string" }, json: { type: "boolean", default: false }, link: { type: "boolean", default: false },
} as const;

export const train: Command = {
  summary: "train a policy by reinforcement learning",
  usage: [
    "usage: turnwise train --preset PRESET [options]", "",
    "  --preset PRESET     settings to start from",
    `  --recipe ID         the algorithm instead of the preset's: ${RECIPE_IDS.join(", ")}`,
    "  --backend NAME      wasm, webgpu or reference (default wasm)",
    "  --arithmetic NAME   simd128, the same everywhere, or relaxed, faster (wasm only; default simd128)",
    THREADS_USAGE,
    "  --seed N            everything random follows from it (default: the preset's)",
    "  --updates N         (default: the preset's)",
    "  --from START        base, blank or a checkpoint file (default: the preset's)",
    "  --set PATH=VALUE    one setting, such as algorithm.learningRate=0.0003; may be repeated",
    "  --out DIR           write policy.safetensors and run.json.gz there",
    "  --link              end with a link that carries what the run has shown: open it in the page, or hand it to turnwise check",
    "  --json              one event a line instead of a progress bar", "",
  ].join("\n"),
  run: (argv) => trainOnce(argv, () => undefined),
};

/** Trains as `turnwise train` was told to. @returns its exit code */
export async function trainOnce(argv: readonly string[], watch: (event: RunEvent) => void): Promise<number> {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS });
  const backend = oneOfWords("backend", values.backend, BACKENDS);
  const flavour = arithmeticOf(backend, values.arithmetic);
  const preset = underRecipe(presetOf(values.preset), values.recipe);
  const config = configured(
    {
      ...preset,
      seed: values.seed === undefined ? preset.seed : wholeNumber("seed", values.seed, 0, 4294967295),
      updates: values.updates === undefined ? preset.updates : wholeNumber("updates", values.updates, 1, 5000),
      from: values.from ?? preset.from,
    },
    values.set,
  );
  const checkpoint = await checkpointFor(config.from, config.preset);
  const { out, json, link } = values;
  if (out !== undefined) await makeFolder(out);
  const threads = threadsOf(values.threads);
  const executor = await openExecutor(backend, flavour);
  const progress = progressWriter(process.stderr, config.updates);
  return withArena(config, async (arena) => {
    const policy = await onThreads(openPolicy(executor, config, arena, checkpoint), policyOptionsOf(config, arena), backend, flavour, threads);
    const networks = await networksOf(config, arena, executor, policy);
    const kept: RunEvent[] = [];
    const emit = (event: RunEvent): void => {
      watch(event);
      if (out !== undefined || link) kept.push(event);
      if (json) process.stdout.write(`${JSON.stringify(event)}\n`);
      else progress(event);
    };
    let code = 0;
    let update = 0;
    try {
      for await (const event of trainRun(config, { arena, policy, networks, now: () => performance.now(), gate: () => Promise.resolve() })) {
        if (event.type === "update") ({ update } = event);
        emit(event);
      }
    } catch (error) {
      // A setting that cannot be is the caller's mistake, not a run that failed.
      if (!(error instanceof BoundaryError) || error instanceof ConfigError) throw error;
      emit({ type: "run-failed", update, error: toWire(error) });
      process.stderr.write(`turnwise: ${error.message}\n`);
      code = 1;
    }
    if (out !== undefined) {
      const weights = await policy.snapshot();
      const notes = { preset: config.preset, seed: String(config.seed), updates: String(update), arithmetic: policy.arithmetic };
      await save(join(out, "policy.safetensors"), writeCheckpoint({ model: modelOf(config, arena.harness.vocabulary.words.length), weights, notes }));
      await save(join(out, "run.json.gz"), writeRunFile(kept));
    }
    if (link) await tellLink(config, kept, json);
    networks.dispose();
    policy.dispose();
    return code;
  });
}
