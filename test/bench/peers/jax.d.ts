import type { OpenContestant } from "../page/problem.ts";
export function jax(device: "wasm" | "webgpu"): OpenContestant;
