import simd128Url from "#engine/wasm/simd128.wasm?url";
import { PolicyError } from "#core/errors.ts";
import { readCheckpoint, type Checkpoint } from "#engine/checkpoint.ts";
import { basePolicyOf } from "#run/base-policy.ts";

/** Policies lie beside the built workers' folder, in development beside the sources'. */
const policyUrl = (name: string): URL => new URL(`../policies/${name}.safetensors`, globalThis.location.href);

async function fetched(url: string | URL, what: string): Promise<ArrayBuffer> {
  const response = await fetch(url).catch(() => undefined);
  if (!response?.ok) throw new PolicyError(`${what} could not be loaded${response ? ` (status ${response.status})` : ""}: check the connection, then try again`);
  return response.arrayBuffer();
}

/** Remembers what a loader gave; a failed load is tried again the next time. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  return () => {
    known ??= load().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

export interface BrowserFiles {
  /** The WASM engine's kernels. */
  kernels(): Promise<WebAssembly.Module>;
  /** The shipped policy that a preset starts from. */
  base(preset: string): Promise<Checkpoint>;
}

/** What workers load of the page's own files, each once. @throws PolicyError from either where it cannot be had */
export function createBrowserFiles(): BrowserFiles {
  const bases = new Map<string, () => Promise<Checkpoint>>();
  return {
    kernels: once(async () => WebAssembly.compile(await fetched(simd128Url, "the WASM kernels"))),
    base(preset) {
      const name = basePolicyOf(preset);
      const load = bases.get(name) ?? once(async () => readCheckpoint(new Uint8Array(await fetched(policyUrl(name), "the base policy"))));
      bases.set(name, load);
      return load();
    },
  };
}
