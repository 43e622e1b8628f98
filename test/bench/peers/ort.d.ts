import type { OpenContestant } from "../page/problem.ts";
export function onnxruntime(provider: "wasm" | "webgpu"): OpenContestant;
