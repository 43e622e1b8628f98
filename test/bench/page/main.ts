import type { PlotRow } from "./plot.tsx";
import { OWN } from "./own.ts";
import { webgpuRoof, wasmRoof } from "./roof.ts";
import { problemOf, type Contestant, type OpenContestant } from "./problem.ts";
import { sokobanTransitions } from "./sokoban.ts";

type Load = () => Promise<OpenContestant>;

const now = (of: OpenContestant): Load => () => Promise.resolve(of);

/** Peers are loaded where they are asked for: they are installed for the benchmark alone. */
const CONTESTANTS: Readonly<Record<string, Load>> = {
  ...Object.fromEntries(Object.entries(OWN).map(([name, of]) => [name, now(of)])),
  "jax-js wasm": async () => (await import("../peers/jax.js")).jax("wasm"),
  "jax-js webgpu": async () => (await import("../peers/jax.js")).jax("webgpu"),
  "tfjs wasm": async () => (await import("../peers/tfjs.js")).tfjs("wasm"),
  "tfjs webgpu": async () => (await import("../peers/tfjs.js")).tfjs("webgpu"),
  "tfjs cpu": async () => (await import("../peers/tfjs.js")).tfjs("cpu"),
  "onnxruntime-web wasm": async () => (await import("../peers/ort.js")).onnxruntime("wasm"),
  "onnxruntime-web webgpu": async () => (await import("../peers/ort.js")).onnxruntime("webgpu"),
};

const open = new Map<string, Contestant>();
const opened = (name: string): Contestant => {
  const found = open.get(name);
  if (found === undefined) throw new Error(`${name} is not open`);
  return found;
};

/** What the script calls, one round at a time, so that contestants take turns on a machine whose speed changes. */
const bench = {
  /** @param as what it is called from then on: one contestant may be open in several sizes */
  async open(name: string, size: string, as = name): Promise<void> {
    const load = CONTESTANTS[name];
    if (load === undefined) throw new Error(`there is no contestant ${name}`);
    open.set(as, await (await load())(problemOf(size)));
  },
  train: (name: string): Promise<number> => opened(name).train(),
  forward: (name: string): Promise<number> => opened(name).forward(),
  /** @returns milliseconds of `steps` steps */
  async time(name: string, what: "train" | "forward", steps: number): Promise<number> {
    const contestant = opened(name);
    const since = performance.now();
    for (let step = 0; step < steps; step += 1) await contestant[what]();
    return performance.now() - since;
  },
  /** @returns tokens, or operations, a second */
  async rate(name: string, what: "rollouts" | "products"): Promise<number> {
    const since = performance.now();
    const done = await opened(name)[what]?.();
    return ((done ?? Number.NaN) / (performance.now() - since)) * 1000;
  },
  memory: (name: string) => opened(name).memory?.(),
  sokobanTransitions,
  wasmRoof,
  webgpuRoof,
  plot: async (rows: readonly PlotRow[], title: string): Promise<string> => (await import("./plot.tsx")).plot(rows, title),
  close(name: string): void {
    opened(name).dispose();
    open.delete(name);
  },
};

declare global {
  interface Window {
    bench: typeof bench;
  }
}
window.bench = bench;
