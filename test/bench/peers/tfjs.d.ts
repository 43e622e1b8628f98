import type { OpenContestant } from "../page/problem.ts";
export function tfjs(backend: "wasm" | "webgpu" | "cpu"): OpenContestant;
