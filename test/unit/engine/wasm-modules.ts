import { readFile } from "node:fs/promises";
import { setFlagsFromString } from "node:v8";
import type { Executor } from "#engine/executor.ts";
import { createWasmExecutor, type WasmFlavour } from "#engine/wasm/wasm-executor.ts";

setFlagsFromString("--experimental-wasm-relaxed-simd");

/** An executor on the kernels as built. */
export async function wasmExecutor(flavour: WasmFlavour): Promise<Executor> {
  const bytes = await readFile(new URL(`../../../src/engine/wasm/${flavour}.wasm`, import.meta.url));
  return createWasmExecutor(await WebAssembly.compile(new Uint8Array(bytes)), flavour);
}
