import simd128Url from "#engine/wasm/simd128.wasm?url";
import { PolicyError } from "#core/errors.ts";
import { readCheckpoint, type Checkpoint } from "#engine/checkpoint.ts";
import type { Executor } from "#engine/executor.ts";
import { createWasmExecutor } from "#engine/wasm/wasm-executor.ts";
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

interface Opened {
  readonly executor: Executor;
  readonly report: BackendReport;
}

/** The page's trainer, with its clock in milliseconds: kernels and base policy are fetched once, the backend is chosen once per choice. */
export function createTrainRuntime(now: () => number): TrainRuntime {
  const kernels = once(async () => WebAssembly.compile(await fetched(simd128Url, "the WASM kernels")));
  const base = once(async () => readCheckpoint(new Uint8Array(await fetched(policyUrl("refund-desk"), "the base policy"))));

  const openExecutor = async (_choice: BackendChoice): Promise<Opened> => ({
    executor: await createWasmExecutor(await kernels(), "simd128"),
    report: {
      backend: "wasm", arithmetic: "simd128", reason: "WASM starts at once",
      options: [
        { backend: "wasm", available: true, detail: "WASM SIMD on one core, bit-exact everywhere" },
        { backend: "webgpu", available: false, detail: "not yet" },
      ],
    },
  });

  const checkpointOf = (config: RunConfig): Promise<Checkpoint | undefined> => {
    if (config.from === "base") return base();
    if (config.from === "blank") return Promise.resolve(undefined);
    throw new PolicyError(`from is ${JSON.stringify(config.from)}; in the page allowed are base and blank`);
  };

  return {
    async prepare(config, choice) {
      const [{ executor, report }] = await Promise.all([openExecutor(choice), checkpointOf(config)]);
      executor.dispose();
      return report;
    },
    async open(config, choice, gate: Gate): Promise<OpenRun> {
      const [{ executor, report }, checkpoint] = await Promise.all([openExecutor(choice), checkpointOf(config)]);
      return withArena(config, (arena) => {
        const policy = openPolicy(executor, config, arena, checkpoint);
        return {
          backend: report,
          events: train(config, { arena, policy, now, gate }),
          snapshot: () => policy.snapshot(),
          dispose: () => {
            policy.dispose();
            executor.dispose();
          },
        };
      });
    },
  };
}
