import { existsSync, statSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { PolicyError } from "#core/errors.ts";
import type { Checkpoint } from "#engine/checkpoint.ts";
import { readCheckpoint } from "#engine/checkpoint.ts";
import type { Executor } from "#engine/executor.ts";
import { createReferenceExecutor } from "#engine/reference/reference-executor.ts";
import { createWasmExecutor, type WasmFlavour } from "#engine/wasm/wasm-executor.ts";
import { basePolicyOf } from "#run/base-policy.ts";
import { oneOfWords } from "./options.ts";
import { UsageError } from "./usage-error.ts";

/** Where the project lies: what the command line reads beside its arguments. */
const ROOT = new URL("../../", import.meta.url);

export const BACKENDS = ["wasm", "webgpu", "reference"] as const;
export const FLAVOURS = ["simd128", "relaxed"] as const;
export type BackendName = (typeof BACKENDS)[number];

/** @throws UsageError where the backend has an arithmetic of its own and another is asked for. */
export function arithmeticOf(backend: BackendName, asked: string | undefined): WasmFlavour {
  if (asked !== undefined && backend !== "wasm") throw new UsageError(`--arithmetic ${asked} is for --backend wasm; ${backend} has an arithmetic of its own: leave it out`);
  return oneOfWords("arithmetic", asked ?? "simd128", FLAVOURS);
}

/** An executor of this machine. */
export async function openExecutor(backend: BackendName, flavour: WasmFlavour): Promise<Executor> {
  if (backend === "reference") return createReferenceExecutor();
  if (backend === "webgpu") return (await import("./gpu-host.ts")).openGpuExecutor();
  return createWasmExecutor(await kernelsOf(flavour), flavour);
}

export async function kernelsOf(flavour: WasmFlavour): Promise<WebAssembly.Module> {
  const bytes = new Uint8Array(await readFile(new URL(`src/engine/wasm/${flavour}.wasm`, ROOT)));
  if (!WebAssembly.validate(bytes)) throw new UsageError(`--arithmetic ${flavour} does not run on Node ${process.version}; allowed is simd128`);
  return WebAssembly.compile(bytes);
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** @throws UsageError when the file cannot be read or is no checkpoint. */
export async function loadCheckpoint(path: string): Promise<Checkpoint> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`cannot read ${path}: ${reason(error)}`);
  });
  try {
    return readCheckpoint(new Uint8Array(bytes));
  } catch (error) {
    throw error instanceof PolicyError ? new UsageError(`${path} is not a policy: ${error.message}`) : error;
  }
}

/** The checkpoint that `from` names: none for blank. */
export const checkpointFor = (from: string, preset: string): Promise<Checkpoint | undefined> =>
  from === "blank" ? Promise.resolve(undefined) : loadCheckpoint(from === "base" ? fileURLToPath(new URL(`public/policies/${basePolicyOf(preset)}.safetensors`, ROOT)) : from);

/** With the folders above it; one by one, as making them all at once never ends under /proc. @throws UsageError */
export async function makeFolder(path: string): Promise<void> {
  const whole = resolve(path);
  if (dirname(whole) !== whole && !existsSync(dirname(whole))) await makeFolder(dirname(whole));
  if (existsSync(whole) && statSync(whole).isDirectory()) return;
  await mkdir(whole).catch((error: unknown) => {
    throw new UsageError(`cannot make the folder ${path}: ${reason(error)}`);
  });
}

/** @throws UsageError when the place cannot be written to. */
export async function save(path: string, bytes: Uint8Array | string): Promise<void> {
  await writeFile(path, bytes).catch((error: unknown) => {
    throw new UsageError(`cannot write ${path}: ${reason(error)}`);
  });
}
