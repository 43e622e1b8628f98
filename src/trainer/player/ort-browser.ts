import gpuUrl from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url";
import wasmUrl from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import type { Env, InferenceSession, Tensor } from "onnxruntime-web";
import { PolicyError } from "#core/errors.ts";
import type { OpenSession, Provider } from "./messages.ts";

/** What is used of either build of onnxruntime-web. */
interface Runtime {
  readonly InferenceSession: typeof InferenceSession;
  readonly Tensor: typeof Tensor;
  readonly env: Env;
}

/** Of two builds only the one that is needed is loaded: 14 MB of WebAssembly, or 27 MB that know WebGPU too. */
async function load(provider: Provider): Promise<Runtime> {
  const runtime: Runtime = provider === "webgpu" ? await import("onnxruntime-web/webgpu") : await import("onnxruntime-web/wasm");
  runtime.env.wasm.wasmPaths = { wasm: new URL(provider === "webgpu" ? gpuUrl : wasmUrl, globalThis.location.href) };
  runtime.env.logLevel = "error";
  // More threads would need headers that a static host does not send.
  runtime.env.wasm.numThreads = 1;
  return runtime;
}

/** Opens models by onnxruntime-web in this worker. @throws PolicyError where WebGPU is asked for and there is none */
export const openInBrowser: OpenSession = async (bytes, provider) => {
  if (provider === "webgpu" && (await navigator.gpu?.requestAdapter()) == null) throw new PolicyError("this browser has no WebGPU here: choose WASM");
  const { InferenceSession: Session, Tensor: Values } = await load(provider);
  const session = await Session.create(bytes, { executionProviders: [provider], logSeverityLevel: 3 });
  return {
    async run(tokens, rows, time) {
      const { logits } = await session.run({ tokens: new Values("int64", tokens, [rows, time]) }, ["logits"]);
      const found = await logits?.getData();
      if (!(found instanceof Float32Array)) throw new PolicyError("the model gave no logits");
      return found;
    },
  };
};
