import { parseArgs } from "node:util";
import { layoutOf } from "#engine/model.ts";
import { exportOnnx } from "#engine/onnx/export.ts";
import type { Command } from "../command.ts";
import { loadCheckpoint, save } from "../host.ts";
import { UsageError } from "../usage-error.ts";

export const exportPolicy: Command = {
  summary: "write a policy as an ONNX model",
  usage: [
    "usage: turnwise export --policy FILE --out FILE.onnx", "",
    "  --policy FILE   a checkpoint (safetensors)",
    "  --out FILE      where the model goes (opset 17; input tokens int64 [batch, time], output logits float32)", "",
  ].join("\n"),
  async run(argv) {
    const { values } = parseArgs({ args: [...argv], options: { policy: { type: "string" }, out: { type: "string" } } });
    if (values.policy === undefined) throw new UsageError("--policy is missing: which checkpoint?");
    if (values.out === undefined) throw new UsageError("--out is missing: where should the model go?");
    const { model, weights } = await loadCheckpoint(values.policy);
    const bytes = exportOnnx(layoutOf(model), weights);
    await save(values.out, bytes);
    process.stdout.write(`${values.out}: ${bytes.length} bytes, context ${model.context}, vocabulary ${model.vocabulary}\n`);
    return 0;
  },
};
