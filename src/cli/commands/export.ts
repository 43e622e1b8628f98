import { parseArgs } from "node:util";
import { layoutOf } from "#engine/model.ts";
import { exportOnnx } from "#engine/onnx/export.ts";
import { withArena } from "#trainer/arena.ts";
import type { Command } from "../command.ts";
import { codeRunner } from "../code-runner.ts";
import { loadCheckpoint, save } from "../host.ts";
import { presetOf } from "../options.ts";
import { UsageError } from "../usage-error.ts";

export const exportPolicy: Command = {
  summary: "write a policy as an ONNX model",
  usage: [
    "usage: turnwise export --policy FILE --out FILE.onnx", "       turnwise export --words PRESET", "",
    "  --policy FILE   a checkpoint (safetensors)",
    "  --out FILE      where the model goes (opset 17; input tokens int64 [batch, time], output logits float32: docs/onnx.md)",
    "  --words PRESET  print the vocabulary instead, a word a line in the order of the tokens", "",
  ].join("\n"),
  async run(argv) {
    const { values } = parseArgs({ args: [...argv], options: { policy: { type: "string" }, out: { type: "string" }, words: { type: "string" } } });
    if (values.words !== undefined) {
      if (values.policy !== undefined || values.out !== undefined) throw new UsageError("--words stands alone: leave --policy and --out out");
      const words = withArena(presetOf(values.words), ({ harness }) => harness.vocabulary.words, { codeRunner: codeRunner() });
      process.stdout.write(`${words.join("\n")}\n`);
      return 0;
    }
    if (values.policy === undefined) throw new UsageError("--policy is missing: which checkpoint?");
    if (values.out === undefined) throw new UsageError("--out is missing: where should the model go?");
    const { model, weights } = await loadCheckpoint(values.policy);
    const bytes = exportOnnx(layoutOf(model), weights);
    await save(values.out, bytes);
    process.stdout.write(`${values.out}: ${bytes.length} bytes, context ${model.context}, vocabulary ${model.vocabulary}\n`);
    return 0;
  },
};
