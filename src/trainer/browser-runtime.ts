import type { Services, Task } from "#core/environment.ts";
import { PolicyError } from "#core/errors.ts";
import { canonical } from "#core/json.ts";
import type { Checkpoint } from "#engine/checkpoint.ts";
import type { Executor } from "#engine/executor.ts";
import { refuseUnfit } from "#engine/memory.ts";
import { createWasmExecutor } from "#engine/wasm/wasm-executor.ts";
import type { EnginePolicy, PolicyOptions } from "#engine/policy-backend.ts";
import { openBackend, type OpenedBackend } from "#engine/webgpu/probe.ts";
import { WebGpuExecutor } from "#engine/webgpu/webgpu-executor.ts";
import type { ProbeStorage } from "#engine/choose-backend.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import { withArena, type Arena, type JudgedRollout } from "./arena.ts";
import { createBrowserFiles, once } from "./browser-files.ts";
import { Held } from "./held.ts";
import { createLaboratory } from "./laboratory.ts";
import { ComputePool, type ComputePoolParts } from "./compute-pool.ts";
import { openPolicy, policyOptionsOf } from "./open-policy.ts";
import { plannedMemory, sizeOf, type TrajectorySize } from "./planned-memory.ts";
import { recordingLaboratory } from "./record.ts";
import { isFromFile, type PolicyShelf } from "./library/policy-shelf.ts";
import { playTaskWith } from "./play-task.ts";
import { replayRecorded } from "./replay.ts";
import type { BackendChoice, BackendReport, Gate, OpenRun, TrainRuntime } from "./runtime.ts";
import { networksOf, NO_NETWORKS } from "./scorer/open.ts";
import { train } from "./train.ts";

/** Engines compile kernels better once they have run for a while: this much of it is done before anybody waits. */
const WARM_UP_MS = 150;

const shared = async (pool: ComputePool | undefined, policy: EnginePolicy, options: PolicyOptions): Promise<EnginePolicy> => pool?.share(policy, options) ?? policy;

/** A few small rounds of sampling and learning on an executor that is thrown away; nothing of a run depends on them. Tells what trajectories are like. */
async function warmUp(config: RunConfig, executor: Executor, pool: ComputePool | undefined, checkpoint: Checkpoint | undefined, now: () => number, services: Services): Promise<TrajectorySize> {
  const { algorithm, reward, ...rest } = config;
  const small: RunConfig = {
    ...rest, reward: "practiceGroups" in reward ? { ...reward, practiceGroups: 1 } : reward, updates: 1, evaluation: { every: 1, tasks: 1, trials: 1 }, algorithm: { ...algorithm, groupSize: 4, groupsPerUpdate: 8, minibatches: 1 } };
  const started = now();
  const seen: JudgedRollout[] = [];
  const held = new Held();
  held.add(executor);
  try {
    await withArena(small, async (arena) => {
      // Never takes the threads from a run.
      const policy = held.add(await shared(pool?.isFree === true ? pool : undefined, openPolicy(executor, small, arena, checkpoint), policyOptionsOf(small, arena)));
      const networks = held.add(await networksOf(small, arena, executor, policy));
      for (let seed = 1; now() - started < WARM_UP_MS; seed += 1)
        for await (const event of train({ ...small, seed }, { arena, policy, networks, now, gate: () => Promise.resolve(), watch: ({ judged }) => seen.push(...judged) })) if (event.type === "update") break;
    }, services);
  } finally {
    held.dispose();
  }
  return sizeOf(seen);
}

/** All that decides how long trajectories are, but for what the policy has learnt. */
const lengthKey = ({ from, environment, harness, policy: { context } }: RunConfig): string => canonical([from, environment, harness, context]);

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

/**
 * The page's trainer, with its clock in milliseconds: kernels and base policy are fetched once, the backend is chosen once a choice.
 * @param compute threads that share the work where WASM runs
 * @param services what environments may use
 * @param policies out of files
 */
export function createTrainRuntime(now: () => number, compute: Pick<ComputePoolParts, "threads" | "spawn" | "wait">, services: Services, policies: Pick<PolicyShelf, "get">): TrainRuntime {
  const { kernels, base } = createBrowserFiles();
  const wasm = async (): Promise<Executor> => createWasmExecutor(await kernels(), "simd128");
  const pool = once(async () => new ComputePool({ module: await kernels(), flavour: "simd128", ...compute }));
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

  const executorOn = async ({ device, operationsAtOnce = Infinity }: OpenedBackend): Promise<Executor> =>
    device === undefined ? wasm() : new WebGpuExecutor(device, { operationsAtOnce });

  const reportOf = ({ decision: { backend, reason, details } }: OpenedBackend): BackendReport => ({
    backend, arithmetic: backend === "webgpu" ? "webgpu" : "simd128", reason, options: details,
  });

  const checkpointOf = (config: RunConfig): Promise<Checkpoint | undefined> => {
    if (config.from === "base") return base(config.preset);
    if (config.from === "blank") return Promise.resolve(undefined);
    if (isFromFile(config.from)) return policies.get(config.from);
    throw new PolicyError(`from is ${JSON.stringify(config.from)}; in the page allowed are base, blank and a policy opened from its file`);
  };

  /** What trajectories were like when these settings were warmed up for. */
  const sizes = new Map<string, TrajectorySize>();
  const memory = <T extends Task, S>(config: RunConfig, arena: Arena<T, S>, executor: Executor, size: TrajectorySize) => ({
    needed: plannedMemory(config, arena, executor, size), limit: executor.memoryLimit,
  });

  return {
    async prepare(config, choice) {
      const [backend, checkpoint] = await Promise.all([backendFor(choice), checkpointOf(config)]);
      const executor = await executorOn(backend);
      const size = await warmUp(config, executor, backend.device ? undefined : await pool(), checkpoint, now, services);
      sizes.set(lengthKey(config), size);
      return { ...reportOf(backend), memory: withArena(config, (arena) => memory(config, arena, executor, size), services) };
    },
    async open(config, choice, gate: Gate, resume, practised): Promise<OpenRun> {
      const [backend, checkpoint] = await Promise.all([backendFor(choice), checkpointOf(config)]);
      const executor = await executorOn(backend);
      const helpers = backend.device ? undefined : await pool();
      const held = new Held();
      held.add(executor);
      try {
        return await withArena(config, async (arena) => {
          const size = sizes.get(lengthKey(config));
          const planned = size && memory(config, arena, executor, size);
          if (planned) refuseUnfit("the policy of this run", planned.needed, executor.memoryLimit);
          const policy = held.add(await shared(helpers, openPolicy(executor, config, arena, checkpoint), policyOptionsOf(config, arena)));
          const networks = held.add(await networksOf(config, arena, executor, policy));
          const laboratory = held.add(createLaboratory({ config, arena, executor }));
          const watch = laboratory.keep.bind(laboratory);
          return {
            backend: { ...reportOf(backend), ...(planned && { memory: planned }) },
            events: train(config, { arena, policy, networks, now, gate, watch, practised, ...(resume ? { resume } : {}) }),
            laboratory,
            model: policy.layout.config,
            snapshot: () => policy.snapshot(),
            exportState: () => policy.exportState(),
            ...(networks === NO_NETWORKS ? {} : { exportNetworks: () => networks.exportState() }),
            dispose: () => held.dispose(),
          };
        }, services);
      } catch (error) {
        held.dispose();
        throw error;
      }
    },
    replay: async (request) => withArena(request.config, (arena) => replayRecorded(arena, request), services),
    async playTask(request) {
      const executor = await wasm();
      try {
        return await withArena(request.config, (arena) => playTaskWith(executor, arena, request), services);
      } finally {
        executor.dispose();
      }
    },
    async study(recording) {
      const config = Object.values(PRESETS).find(({ preset }) => preset === recording.preset);
      if (config === undefined) throw new PolicyError(`there is no preset ${JSON.stringify(recording.preset)}`);
      // Recordings are made in the arithmetic that is the same everywhere.
      const [checkpoint, executor] = await Promise.all([checkpointOf(config), wasm()]);
      return withArena(config, async (arena) => {
        const policy = openPolicy(executor, config, arena, checkpoint);
        const laboratory = await recordingLaboratory({ config, arena, executor, policy }, recording);
        policy.dispose();
        return {
          assess: (request, gate, part) => laboratory.assess(request, gate, part),
          glance: (gate) => laboratory.glance(gate),
          forkOptions: (place, gate) => laboratory.forkOptions(place, gate),
          fork: (request, gate) => laboratory.fork(request, gate),
          dispose: () => {
            laboratory.dispose();
            executor.dispose();
          },
        };
      }, services);
    },
  };
}
