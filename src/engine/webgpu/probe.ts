import { chooseBackend, decideBackend, type AdapterReport, type BackendChoice, type BackendDecision, type ProbeReport, type ProbeStorage } from "../choose-backend.ts";
import type { Executor } from "../executor.ts";
import { matmul, MATMUL } from "../kernels/matmul/index.ts";
import { WebGpuExecutor } from "./webgpu-executor.ts";

/** A null in the first moments of a page's life is not yet an answer. */
const RETRY_AFTER_MS = [100, 300] as const;
/** A graphics process that hangs never answers. */
const ADAPTER_DEADLINE_MS = 3_000;
/** For the chain alone; compiling and the warm-up have their own. */
const DEADLINE_MS = 250;
const SETUP_DEADLINE_MS = 2_000;
/** 0.4 GFLOP: about 15 ms of WASM, 150 ms of a software adapter, 2 ms of a GPU beside its latency. */
const [ROWS, NARROW, WIDE, LINKS] = [512, 64, 256, 12];
const LINK_OPERATIONS = 2 * 2 * ROWS * NARROW * WIDE;
/** The better of these counts: other work only ever adds time. */
const ROUNDS = 2;
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|basic render|\bwarp\b/i;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface FoundAdapter {
  readonly report: AdapterReport;
  /** Gives one device. */
  readonly adapter?: GPUAdapter;
}

/** @param gpu `navigator.gpu`, undefined where the browser has none */
export async function findAdapter(gpu: GPU | undefined, retryAfterMs: readonly number[] = RETRY_AFTER_MS): Promise<FoundAdapter> {
  if (gpu === undefined) return { report: { kind: "missing" } };
  const ask = (): Promise<GPUAdapter | null | undefined> => within(gpu.requestAdapter({ powerPreference: "high-performance" }).catch(() => null), ADAPTER_DEADLINE_MS);
  let adapter = await ask();
  for (const ms of retryAfterMs) {
    if (adapter !== null) break;
    await wait(ms);
    adapter = await ask();
  }
  if (adapter === null || adapter === undefined) return { report: { kind: "none" } };
  // Not every browser and not every type library knows the last one.
  const info: Pick<GPUAdapterInfo, "vendor" | "architecture" | "device" | "description"> & { readonly isFallbackAdapter?: boolean } = adapter.info;
  const { vendor, architecture, description } = info;
  const software = info.isFallbackAdapter === true || SOFTWARE.test(`${architecture} ${description} ${info.device}`);
  return { report: { kind: "found", vendor, architecture, description, software }, adapter };
}

const UP = { inner: NARROW, columns: WIDE, mode: MATMUL.RELU } as const;
const DOWN = { inner: WIDE, columns: NARROW, mode: MATMUL.STORE } as const;

/** The feed-forward block of a small model over and over, all zeros: time does not depend on the numbers. */
function openChain(executor: Executor): { run(links: number): Promise<unknown>; free(): void } {
  const x = executor.alloc("probe.x", "f32", ROWS * NARROW);
  const hidden = executor.alloc("probe.hidden", "f32", ROWS * WIDE);
  const weights = executor.alloc("probe.weights", "f32", NARROW * WIDE);
  return {
    run(links) {
      for (let link = 0; link < links; link += 1) {
        executor.run(matmul, [x, weights, weights, hidden], { ...UP, rows: ROWS });
        executor.run(matmul, [hidden, weights, weights, x], { ...DOWN, rows: ROWS });
      }
      return executor.read(x, 0, 1);
    },
    free() {
      for (const buffer of [x, hidden, weights]) executor.free(buffer);
    },
  };
}

async function bestOf(chain: { run(links: number): Promise<unknown> }, now: () => number, links: number): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = now();
    await chain.run(links);
    best = Math.min(best, now() - start);
  }
  return best;
}

const within = async <T>(work: Promise<T>, ms: number): Promise<T | undefined> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** The same matmul chain on both, each after a warm-up. A GPU that comes late is left to its work; the caller destroys its device. */
export async function probeBackends(gpu: WebGpuExecutor, wasm: Executor, now: () => number, deadlineMs = DEADLINE_MS): Promise<ProbeReport> {
  try {
    const chain = openChain(gpu);
    const warm = Promise.all([gpu.prepare(matmul, UP), gpu.prepare(matmul, DOWN)])
      .then(() => chain.run(1))
      .then(() => true);
    if ((await within(warm, SETUP_DEADLINE_MS)) === undefined) {
      warm.catch(() => undefined);
      return { kind: "late", deadlineMs: SETUP_DEADLINE_MS };
    }
    const measured = bestOf(chain, now, LINKS);
    const gpuMs = await within(measured, deadlineMs);
    if (gpuMs === undefined) {
      measured.catch(() => undefined);
      return { kind: "late", deadlineMs };
    }
    chain.free();
    const other = openChain(wasm);
    await other.run(1);
    const wasmMs = await bestOf(other, now, LINKS);
    other.free();
    return { kind: "measured", gpuMs, wasmMs };
  } catch (error) {
    return { kind: "failed", message: messageOf(error) };
  }
}

/** Milliseconds that a dispatch may take, at half of the rate measured: those of other kernels are lower. */
const DISPATCH_MS = 50;
/** 0.07 GFLOP: about 15 ms of a software adapter. */
const PILOT_LINKS = 2;

/**
 * Floating-point operations that one dispatch on this device may hold so that it is over within 50 ms. Where the work is nothing beside the
 * wait for it the answer is too low, and still far more than a small model asks for.
 */
export async function pilot(device: GPUDevice, now: () => number): Promise<number> {
  const executor = new WebGpuExecutor(device);
  try {
    const chain = openChain(executor);
    await chain.run(1);
    const ms = await bestOf(chain, now, PILOT_LINKS);
    return (PILOT_LINKS * LINK_OPERATIONS * DISPATCH_MS) / 2 / ms;
  } finally {
    executor.dispose();
  }
}

export interface OpenBackendOptions {
  readonly choice: BackendChoice;
  /** `navigator.gpu` */
  readonly gpu: GPU | undefined;
  /** Opened only to be measured against; the caller keeps and disposes of it. */
  readonly wasm: () => Promise<Executor>;
  /** `navigator.userAgent`, or whatever else changes when the browser does. */
  readonly browser: string;
  readonly storage: ProbeStorage;
  /** In milliseconds. */
  readonly now: () => number;
}

/** The decision, and with "webgpu" the one device that goes with it, which is then the caller's to destroy. */
export interface OpenedBackend {
  readonly decision: BackendDecision;
  readonly device?: GPUDevice;
  /** What the pilot says of the device; there with it. */
  readonly operationsAtOnce?: number;
}

export async function openBackend(options: OpenBackendOptions): Promise<OpenedBackend> {
  const { choice, gpu, browser, storage, now } = options;
  let found: FoundAdapter = { report: { kind: "missing" } };
  let device: GPUDevice | undefined;
  const openDevice = async (): Promise<GPUDevice> => {
    if (found.adapter === undefined) throw new Error("no adapter");
    // No limits are asked for: every kernel fits the default ones.
    device ??= await found.adapter.requestDevice({ label: "turnwise" });
    return device;
  };
  const decision = await chooseBackend(choice, {
    browser,
    storage,
    async adapter() {
      found = await findAdapter(gpu);
      return found.report;
    },
    async probe() {
      try {
        const executor = new WebGpuExecutor(await openDevice());
        const report = await probeBackends(executor, await options.wasm(), now);
        executor.dispose();
        return report;
      } catch (error) {
        return { kind: "failed", message: messageOf(error) };
      }
    },
  });
  if (decision.backend === "webgpu")
    try {
      const opened = await openDevice();
      return { decision, device: opened, operationsAtOnce: await pilot(opened, now) };
    } catch (error) {
      device?.destroy();
      return { decision: decideBackend(choice, found.report, { kind: "failed", message: messageOf(error) }) };
    }
  device?.destroy();
  return { decision };
}
