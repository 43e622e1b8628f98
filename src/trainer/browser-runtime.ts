import simd128Url from "#engine/wasm/simd128.wasm?url";
import { PolicyError } from "#core/errors.ts";
import { readCheckpoint, type Checkpoint } from "#engine/checkpoint.ts";
import type { Executor } from "#engine/executor.ts";
import { createWasmExecutor } from "#engine/wasm/wasm-executor.ts";
import { openBackend, type OpenedBackend } from "#engine/webgpu/probe.ts";
import { WebGpuExecutor } from "#engine/webgpu/webgpu-executor.ts";
import type { ProbeStorage } from "#engine/choose-backend.ts";
import type { RunConfig } from "#run/run-config.ts";
import { withArena } from "./arena.ts";
import { openPolicy } from "./open-policy.ts";
import type { BackendChoice, BackendReport, Gate, OpenRun, TrainRuntime } from "./runtime.ts";
import { train } from "./train.ts";

/** Policies lie beside the built workers' folder, in development beside the sources'. */
const policyUrl = (name: string): URL => new URL(`../policies/${name}.safetensors`, globalThis.location.href);

async function fetched(url: string | URL, what: string): Promise<ArrayBuffer> {
  const response = await fetch(url).catch(() => undefined);
  if (!response?.ok) throw new PolicyError(`${what} could not be loaded${response ? ` (status ${response.status})` : ""}: check the connection, then try again`);
  return response.arrayBuffer();
}

/** Remembers what a loader gave; a failed load is tried again the next time. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  return () => {
    known ??= load().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

/** Engines compile kernels better once they have run for a while: this much of it is done before anybody waits. */
const WARM_UP_MS = 150;

/** A few small rounds of sampling and learning on an executor that is thrown away; nothing of a run depends on them. */
async function warmUp(config: RunConfig, executor: Executor, checkpoint: Checkpoint | undefined, now: () => number): Promise<void> {
  const { algorithm, ...rest } = config;
  const small: RunConfig = { ...rest, updates: 1, evaluation: { every: 1, tasks: 1, trials: 1 }, algorithm: { ...algorithm, groupSize: 4, groupsPerUpdate: 8, minibatches: 1 } };
  const started = now();
  await withArena(small, async (arena) => {
    const policy = openPolicy(executor, small, arena, checkpoint);
    for (let seed = 1; now() - started < WARM_UP_MS; seed += 1)
      for await (const event of train({ ...small, seed }, { arena, policy, now, gate: () => Promise.resolve() })) if (event.type === "update") break;
    policy.dispose();
  });
  executor.dispose();
}

/** Probes are kept in the browser's cache storage, the one key-value store a worker has without a library. */
const probeStorage: ProbeStorage = {
  async get(key) {
    const kept = await (await caches.open("turnwise-probes")).match(`./probe/${encodeURIComponent(key)}`);
    return kept?.text();
  },
  async set(key, value) {
    await (await caches.open("turnwise-probes")).put(`./probe/${encodeURIComponent(key)}`, new Response(value));
  },
};

/** The page's trainer, with its clock in milliseconds: kernels and base policy are fetched once, the backend is chosen once a choice. */
export function createTrainRuntime(now: () => number): TrainRuntime {
  const kernels = once(async () => WebAssembly.compile(await fetched(simd128Url, "the WASM kernels")));
  const base = once(async () => readCheckpoint(new Uint8Array(await fetched(policyUrl("refund-desk"), "the base policy"))));
  const wasm = async (): Promise<Executor> => createWasmExecutor(await kernels(), "simd128");
  const opened = new Map<BackendChoice, Promise<OpenedBackend>>();

  /** A device that was lost is not given out again. */
  const backendFor = (choice: BackendChoice): Promise<OpenedBackend> => {
    const known = opened.get(choice);
    if (known) return known;
    const fresh = openBackend({ choice, gpu: navigator.gpu, wasm, browser: navigator.userAgent, storage: probeStorage, now });
    opened.set(choice, fresh);
    const forget = (): void => {
      if (opened.get(choice) === fresh) opened.delete(choice);
    };
    const whenGone = async ({ device }: OpenedBackend): Promise<void> => {
      // Who asks for WebGPU by name and gets none may get one the next time.
      if (device === undefined && choice !== "webgpu") return;
      await device?.lost;
      forget();
    };
    fresh.then(whenGone).catch(forget);
    return fresh;
  };

  const reportOf = ({ decision: { backend, reason, details } }: OpenedBackend): BackendReport => ({
    backend, arithmetic: backend === "webgpu" ? "webgpu" : "simd128", reason, options: details,
  });

  const checkpointOf = (config: RunConfig): Promise<Checkpoint | undefined> => {
    if (config.from === "base") return base();
    if (config.from === "blank") return Promise.resolve(undefined);
    throw new PolicyError(`from is ${JSON.stringify(config.from)}; in the page allowed are base and blank`);
  };

  return {
    async prepare(config, choice) {
      const [backend, checkpoint] = await Promise.all([backendFor(choice), checkpointOf(config)]);
      await warmUp(config, backend.device ? new WebGpuExecutor(backend.device) : await wasm(), checkpoint, now);
      return reportOf(backend);
    },
    async open(config, choice, gate: Gate, resume): Promise<OpenRun> {
      const [backend, checkpoint] = await Promise.all([backendFor(choice), checkpointOf(config)]);
      const executor = backend.device ? new WebGpuExecutor(backend.device) : await wasm();
      return withArena(config, (arena) => {
        const policy = openPolicy(executor, config, arena, checkpoint);
        return {
          backend: reportOf(backend),
          events: train(config, { arena, policy, now, gate, ...(resume ? { resume } : {}) }),
          snapshot: () => policy.snapshot(),
          exportState: () => policy.exportState(),
          dispose: () => {
            policy.dispose();
            executor.dispose();
          },
        };
      });
    },
  };
}
