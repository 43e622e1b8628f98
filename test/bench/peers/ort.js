import asyncifyUrl from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url";
import plainUrl from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import { exportOnnx } from "../../../src/engine/onnx/export.ts";

/**
 * The forward pass of the same model, exported as the app exports it; there is no training in onnxruntime-web.
 * @param {"wasm" | "webgpu"} provider
 * @returns {import("../page/problem.ts").OpenContestant}
 */
export const onnxruntime = (provider) => async ({ layout, model, batch, weights, tokens }) => {
  // Each provider has a build of its own; the one for WebGPU is slower on the processor.
  const ort = await (provider === "wasm" ? import("onnxruntime-web/wasm") : import("onnxruntime-web/webgpu"));
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = { wasm: provider === "wasm" ? plainUrl : asyncifyUrl };
  const session = await ort.InferenceSession.create(exportOnnx(layout, weights), { executionProviders: [provider] });
  const { context, vocabulary } = model;
  const inputs = new BigInt64Array(batch * context);
  for (let row = 0; row < batch; row += 1) for (let at = 0; at < context; at += 1) inputs[row * context + at] = BigInt(tokens[row * (context + 1) + at]);
  const feed = { tokens: new ort.Tensor("int64", inputs, [batch, context]) };
  const loss = (logits) => {
    let sum = 0;
    for (let row = 0; row < batch * context; row += 1) {
      const at = row * layout.headColumns;
      let total = 0;
      for (let token = 0; token < vocabulary; token += 1) total += Math.exp(logits[at + token]);
      sum += Math.log(total) - logits[at + tokens[Math.floor(row / context) * (context + 1) + (row % context) + 1]];
    }
    return sum / (batch * context);
  };
  let first = true;
  return {
    train: () => Promise.reject(new Error("onnxruntime-web does not train")),
    async forward() {
      const { logits } = await session.run(feed);
      const data = await logits.getData();
      if (!first) return Number.NaN;
      first = false;
      return loss(data);
    },
    dispose: () => void session.release(),
  };
};
