/** What the person asked for. */
export type BackendChoice = "automatic" | "wasm" | "webgpu";

/** What the browser has to offer. */
export type AdapterReport =
  | { readonly kind: "missing" }
  | { readonly kind: "none" }
  | { readonly kind: "found"; readonly vendor: string; readonly architecture: string; readonly description: string; readonly software: boolean };

/** One piece of work on both backends. */
export type ProbeReport =
  | { readonly kind: "measured"; readonly gpuMs: number; readonly wasmMs: number }
  | { readonly kind: "late"; readonly deadlineMs: number }
  | { readonly kind: "failed"; readonly message: string };

export interface BackendOption {
  readonly backend: "wasm" | "webgpu";
  readonly available: boolean;
  /** What it is, or why it cannot be had here. */
  readonly detail: string;
}

export interface BackendDecision {
  readonly backend: "wasm" | "webgpu";
  /** One short sentence for a person. */
  readonly reason: string;
  readonly details: readonly BackendOption[];
}

/** Where measured probes are kept between visits. */
export interface ProbeStorage {
  get(key: string): string | undefined | Promise<string | undefined>;
  set(key: string, value: string): void | Promise<void>;
}

/** How this machine is asked; nothing is asked that the choice does not need. */
export interface BackendSource {
  /** Part of the storage key: a new browser is measured anew. */
  readonly browser: string;
  readonly storage: ProbeStorage;
  adapter(): Promise<AdapterReport>;
  probe(): Promise<ProbeReport>;
}

const WASM: BackendOption = { backend: "wasm", available: true, detail: "the processor, with SIMD" };

const nameOf = (adapter: AdapterReport): string => {
  if (adapter.kind === "missing") return "this browser has no WebGPU";
  if (adapter.kind === "none") return "this browser gives no GPU adapter";
  const names = [adapter.vendor, adapter.architecture, adapter.description].filter((name) => name !== "");
  return `${adapter.software ? "software adapter" : "GPU"}${names.length > 0 ? `: ${names.join(" ")}` : ""}`;
};

const times = (ratio: number): string => `${ratio.toFixed(ratio < 9.95 ? 1 : 0)}×`;

/**
 * The backend and why. `adapter` is undefined where WASM was chosen and the GPU is not to be touched. "webgpu" is obeyed wherever it can
 * be, "automatic" takes what the probe found faster, and WASM where there is nothing to be found out.
 */
export function decideBackend(choice: BackendChoice, adapter: AdapterReport | undefined, probe?: ProbeReport): BackendDecision {
  const available = adapter?.kind === "found" && probe?.kind !== "failed";
  const failure = probe?.kind === "failed" ? `, but it failed: ${probe.message}` : "";
  const details: readonly BackendOption[] = [
    WASM,
    adapter === undefined
      ? { backend: "webgpu", available: true, detail: "the graphics processor, not looked at" }
      : { backend: "webgpu", available, detail: `${nameOf(adapter)}${failure}` },
  ];
  const wasm = (reason: string): BackendDecision => ({ backend: "wasm", reason, details });
  const webgpu = (reason: string): BackendDecision => ({ backend: "webgpu", reason, details });

  if (choice === "wasm" || adapter === undefined) return wasm("WASM was chosen");
  if (adapter.kind !== "found") return wasm(choice === "webgpu" ? `WASM instead of WebGPU: ${nameOf(adapter)}` : `${nameOf(adapter)}: WASM runs`);
  if (probe?.kind === "failed") return wasm("the GPU failed when tried: WASM runs");
  if (choice === "webgpu") return webgpu(adapter.software ? "WebGPU was chosen, on a software adapter: WASM is faster" : "WebGPU was chosen");
  if (adapter.software) return wasm("software adapter: WASM is faster");
  if (probe === undefined) return wasm("the GPU was not measured: WASM runs");
  if (probe.kind === "late") return wasm(`the GPU gave no answer in ${probe.deadlineMs} ms (probe): WASM runs`);
  const ratio = probe.wasmMs / probe.gpuMs;
  return ratio > 1 ? webgpu(`GPU is ${times(ratio)} faster here (probe)`) : wasm(`WASM is ${times(1 / ratio)} faster here (probe)`);
}

/** undefined for what is not a measured probe: storage holds whatever somebody put there. */
function parseProbe(text: string | undefined): ProbeReport | undefined {
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null || !("gpuMs" in parsed) || !("wasmMs" in parsed)) return undefined;
    const { gpuMs, wasmMs } = parsed;
    if (typeof gpuMs !== "number" || typeof wasmMs !== "number" || !(gpuMs > 0) || !(wasmMs > 0)) return undefined;
    return { kind: "measured", gpuMs, wasmMs };
  } catch {
    return undefined;
  }
}

/**
 * Asks what the choice needs, then decides. Only measured times are kept: an adapter that was absent, a probe that failed or came late
 * may do better next time.
 */
export async function chooseBackend(choice: BackendChoice, source: BackendSource): Promise<BackendDecision> {
  if (choice === "wasm") return decideBackend(choice, undefined);
  const adapter = await source.adapter();
  if (choice === "webgpu" || adapter.kind !== "found" || adapter.software) return decideBackend(choice, adapter);
  const key = `turnwise/probe/1/${source.browser}/${adapter.vendor}/${adapter.architecture}/${adapter.description}`;
  const read = async (): Promise<string | undefined> => source.storage.get(key);
  const known = parseProbe(await read().catch(() => undefined));
  if (known !== undefined) return decideBackend(choice, adapter, known);
  const probe = await source.probe();
  const write = async (): Promise<void> => source.storage.set(key, JSON.stringify(probe));
  // Storage that is full or forbidden only costs the probe again.
  if (probe.kind === "measured") await write().catch(() => undefined);
  return decideBackend(choice, adapter, probe);
}
