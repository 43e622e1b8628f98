import { parseArgs } from "node:util";
import { createRng } from "#core/rng.ts";
import { fingerprint } from "#core/json.ts";
import { writeCheckpoint } from "#engine/checkpoint.ts";
import { withArena } from "../arena.ts";
import { evaluate } from "#trainer/evaluate.ts";
import { modelOf, openPolicy } from "#trainer/open-policy.ts";
import { demonstrations, imitate, PRETRAIN, PRETRAIN_TURNS, pretrainSettings, refuseUnplayable } from "#trainer/pretrain.ts";
import type { Command } from "../command.ts";
import { FLAVOURS, openExecutor, save } from "../host.ts";
import { configured, oneOfWords, presetOf, wholeNumber } from "../options.ts";
import { UsageError } from "../usage-error.ts";

export const pretrain: Command = {
  summary: "make a base policy from demonstrations of an imperfect scripted agent",
  usage: [
    "usage: turnwise pretrain --preset PRESET --out FILE [options]", "",
    "  --preset PRESET       what the policy is for",
    "  --out FILE            where the safetensors go",
    "  --seed N              of demonstrations, order and initial weights (default 1)",
    "Defaults for a harness of whole histories, then for one whose turns are sequences of their own:",
    `  --steps N             of ${PRETRAIN.batch} or ${PRETRAIN_TURNS.batch} sequences each (default ${PRETRAIN.steps}, ${PRETRAIN_TURNS.steps})`,
    `  --demonstrations N    distinct ones (default ${PRETRAIN.demonstrations}, ${PRETRAIN_TURNS.demonstrations})`,
    `  --learning-rate X     at its highest (default ${PRETRAIN.learningRate}, ${PRETRAIN_TURNS.learningRate})`,
    "  --skill X             of the agent that is imitated, 0 to 1 (default: the environment's)",
    "  --arithmetic NAME     simd128 or relaxed (default simd128, in which a result can be reproduced)",
    "  --set PATH=VALUE      of the preset, such as policy.width=32; may be repeated", "",
  ].join("\n"),
  async run(argv) {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        preset: { type: "string" }, out: { type: "string" }, seed: { type: "string", default: "1" },
        steps: { type: "string" }, demonstrations: { type: "string" }, "learning-rate": { type: "string" },
        skill: { type: "string" }, arithmetic: { type: "string", default: "simd128" }, set: { type: "string", multiple: true, default: [] },
      },
    });
    if (values.out === undefined) throw new UsageError("--out is missing: where should the policy go?");
    const out = values.out;
    const seed = wholeNumber("seed", values.seed, 0, 4294967295);
    const config = { ...configured(presetOf(values.preset), values.set), seed };
    const executor = await openExecutor("wasm", oneOfWords("arithmetic", values.arithmetic, FLAVOURS));
    return withArena(config, async (arena) => {
      const usual = pretrainSettings(arena.harness);
      const learningRate = Number(values["learning-rate"] ?? usual.learningRate);
      if (!(learningRate > 0 && learningRate <= 0.1)) throw new UsageError(`--learning-rate is ${JSON.stringify(values["learning-rate"])}; allowed are numbers above 0, at most 0.1`);
      const settings = {
        ...usual, learningRate, steps: wholeNumber("steps", values.steps ?? String(usual.steps), 1, 100_000),
        demonstrations: wholeNumber("demonstrations", values.demonstrations ?? String(usual.demonstrations), 1, 100_000),
      };
      const skill = Number(values.skill ?? arena.demonstrationSkill);
      if (!(skill >= 0 && skill <= 1)) throw new UsageError(`--skill is ${JSON.stringify(values.skill)}; allowed are numbers from 0 to 1`);
      const policy = openPolicy(executor, config, arena, undefined);
      const rng = createRng(seed).fork("pretrain");
      await refuseUnplayable(arena);
      const sequences = await demonstrations({ ...arena, demonstrationSkill: skill }, settings, rng.fork("demonstrations"));
      for await (const { step, loss } of imitate(policy, sequences, settings, rng.fork("imitate")))
        if (step % 500 === 0) process.stderr.write(`step ${step}  loss ${loss.toFixed(4)}\n`);
      const weights = await policy.snapshot();
      const { tasks, trials } = config.evaluation;
      const at = async (split: "heldout" | "shifted") => evaluate(arena, policy, { split, tasks, trials, greedy: true, seed: 0 }, () => Promise.resolve());
      const [heldout, shifted] = [await at("heldout"), await at("shifted")];
      await save(out, writeCheckpoint({
        model: modelOf(config, arena.harness.vocabulary.words.length), weights,
        notes: { preset: config.preset, seed: String(seed), steps: String(settings.steps), demonstrations: String(settings.demonstrations) },
      }));
      const figures = (report: typeof heldout) => ({ sampled: report.passHatK[0], greedy: report.greedy });
      process.stdout.write(`${JSON.stringify({ out, fingerprint: fingerprint(weights), heldout: figures(heldout), shifted: figures(shifted) })}\n`);
      return 0;
    });
  },
};
