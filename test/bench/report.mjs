// @ts-check
/** The benchmark's result as a page of the docs. */

/** @typedef {{ median: number, min: number, max: number } | null} Summary */
/**
 * @typedef {object} Result
 * @property {number} cores
 * @property {readonly { name: string, backend: string, config: string, train: Summary, forward: Summary }[]} rows
 * @property {Readonly<Record<string, Summary>>} rollouts
 * @property {Summary} sokoban
 * @property {readonly { what: string, sizes: readonly { size: string, train: Summary, memory: { allocated: number, said: number } | null }[] }[]} growth
 * @property {Readonly<Record<string, number | null>>} ratios
 * @property {{ wasm: Summary, webgpu: Summary }} roof
 * @property {{ wasm: number | null, webgpu: number | null }} roofShare
 */

/** What was aimed at, by the name of the ratio. */
const AIMS = {
  wasmTrainVsJax: ["training, WASM, B=64, one thread each: ours over jax-js", 4],
  wasmTrainVsJaxB8: ["the same at B=8", 4.5],
  wasmForwardVsOrt: ["forward, WASM, B=64, one thread each: ours over onnxruntime-web", 2],
  webgpuTrainVsJax: ["training, WebGPU, B=8: ours over jax-js", 5],
  webgpuTrainVsTfjs: ["training, WebGPU, B=8: ours over TensorFlow.js", 40],
  threads2: ["training, WASM, B=64: two threads over one", 1.6],
};

const number = (/** @type {number} */ value) => value.toLocaleString("en");
const shown = (/** @type {Summary} */ of) => (of === null ? "–" : `${number(of.median)} (${number(of.min)}–${number(of.max)})`);
/** @param {readonly (readonly string[])[]} lines */
const table = ([head = [], ...lines]) => [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(1);

/** @param {Result} result @param {string} processor @param {string} browser */
export function reportOf({ cores, rows, rollouts, sokoban, growth, ratios, roof, roofShare }, processor, browser) {
  const sizes = [...new Set(rows.map(({ config }) => config))];
  return `# Benchmark

Written by \`npm run -s bench -- --peers --docs\`: ${cores} cores (${processor}), Chromium ${browser} with its software WebGPU adapter, a page without
isolation, everyone in turn in every round of one run; medians with smallest and largest. A machine with a GPU was not measured. All train the same model (RMSNorm, ReLU,
AdamW) on the same batch from the same weights; the losses of the first four steps agree to 2e-4 or the run stops. onnxruntime-web has no training; its WASM
and ours take one thread where nothing else is said; the others are used as their documentation says, one jitted step in jax-js.

![Tokens trained on a second](benchmark.svg)

${sizes
  .map((size) => `## ${size}\n\n${table([["", "train, tokens/s", "forward, tokens/s"], ...rows.filter(({ config }) => config === size).map(({ name, train, forward }) => [name, shown(train), shown(forward)])])}`)
  .join("\n\n")}

Software adapters are left out of the larger sizes but for our own: a step of theirs takes many seconds.

## Ratios of this run, and what was aimed at

${table([
  ["ratio of medians", "measured", "aim"],
  ...Object.entries(AIMS).map(([name, [what = "", aim = ""]]) => [String(what), String(ratios[name] ?? "–"), `at least ${aim}`]),
  [`share of the roof in the matrix products of a step, WASM (relaxed multiply-adds, one core: ${shown(roof.wasm)} GFLOP/s)`, String(roofShare.wasm ?? "–"), "at least 0.6"],
  [`the same, WebGPU (${shown(roof.webgpu)} GFLOP/s)`, String(roofShare.webgpu ?? "–"), "at least 0.4"],
])}

## Rollouts and environments

${table([
  ["", "a second"],
  ...Object.entries(rollouts).map(([name, of]) => [`${name}: tokens appended to the contexts of 64 agents`, shown(of)]),
  ["Sokoban: transitions, one thread, observations and events included", shown(sokoban)],
])}

## Costs that grow

Training on one thread (WASM, relaxed): tokens a second, and the memory that is allocated against what the formula says before a run starts.

${growth.map(({ what, sizes: grown }) => `${table([[what, "train, tokens/s", "allocated, MB", "formula, MB"], ...grown.map(({ size, train, memory }) => [size, shown(train), memory === null ? "–" : megabytes(memory.allocated), memory === null ? "–" : megabytes(memory.said)])])}`).join("\n\n")}
`;
}
