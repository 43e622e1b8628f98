// @ts-check
/**
 * npm run -s bench -- [--json] [--peers] [--quick] [--docs]
 * Training, forward passes and rollouts in Chromium, in a page without isolation. Contestants take turns within every round, so that a
 * machine whose speed changes is equally unfair to all; medians of the rounds, with the smallest and largest. `--docs` writes them to
 * docs/benchmark.md, with a plot.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import asc from "assemblyscript/asc";
import { chromium } from "playwright-core";
import { build, preview } from "vite";
import { findBrowser, launchArguments } from "../../scripts/browser.mjs";
import { reportOf } from "./report.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({ options: { json: { type: "boolean" }, peers: { type: "boolean" }, quick: { type: "boolean" }, docs: { type: "boolean" } } });
if (options.docs && !(options.peers && !options.quick)) {
  process.stderr.write("--docs wants --peers and no --quick: the page is of the whole benchmark\n");
  process.exit(2);
}
/** @param {string} line */
const say = (line) => void process.stderr.write(`${line}\n`);

const SIZES = options.quick ? ["L2 d64 T128 B8"] : ["L2 d64 T128 B8", "L2 d64 T128 B64", "L4 d128 T256 B8"];
/** One thing after the other grows. */
const GROWTH = options.quick ? [] : [
  ["sequences in a batch", "L2 d64 T128 B1", "L2 d64 T128 B4", "L2 d64 T128 B16", "L2 d64 T128 B64"], ["context", "L2 d64 T32 B32", "L2 d64 T64 B16", "L2 d64 T128 B8", "L2 d64 T256 B4"],
  ["width", "L2 d32 T128 B8", "L2 d64 T128 B8", "L2 d128 T128 B8"], ["layers", "L1 d64 T128 B8", "L2 d64 T128 B8", "L4 d64 T128 B8"],
];
/** Tokens of a step, by the name of the size. @param {string} size */
const tokensOf = (size) => {
  const [, , context = 0, batch = 0] = size.split(" ").map((part) => Number(part.slice(1)));
  return context * batch;
};
const OWN = ["turnwise wasm relaxed", "turnwise wasm simd128", "turnwise wasm relaxed, 2 threads", "turnwise webgpu"];
const PEERS = ["jax-js wasm", "tfjs wasm", "tfjs cpu", "onnxruntime-web wasm", "jax-js webgpu", "tfjs webgpu", "onnxruntime-web webgpu"];
/** On a software adapter the others need minutes for the larger sizes. @param {string} name @param {string} size */
const isTried = (name, size) => size === "L2 d64 T128 B8" || name.startsWith("turnwise") || !(name.includes("webgpu") || name.startsWith("tfjs"));
const ROUNDS = options.quick ? 3 : 5;
/** A turn lasts about this long. */
const TURN_MS = options.quick ? 400 : 1_000;
const LOSS_TOLERANCE = 2e-4;

/** @param {readonly number[]} list */
const median = (list) => {
  const sorted = list.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? Number.NaN) : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
};
/** @param {readonly number[]} list @returns {Summary} */
const summary = (list) => (list.length === 0 ? null : { median: Math.round(median(list)), min: Math.round(Math.min(...list)), max: Math.round(Math.max(...list)) });

async function compileRoof() {
  const source = await readFile(join(here, "roof/roof.as"), "utf8");
  for (const flavour of ["simd128", "relaxed"]) {
    const features = ["--enable", "simd", ...(flavour === "relaxed" ? ["--enable", "relaxed-simd"] : [])];
    /** @type {Uint8Array | undefined} */
    let binary;
    const { error } = await asc.main(["roof.ts", "--outFile", "roof.wasm", "-O3", "--noAssert", "--runtime", "stub", "--importMemory", ...features], {
      readFile: (name) => (name === "roof.ts" ? source : null),
      writeFile: (_name, contents) => void (binary = /** @type {Uint8Array} */ (contents)),
      listFiles: () => [],
      stderr: process.stderr,
    });
    if (error || binary === undefined) throw error ?? new Error("the roof module was not written");
    await writeFile(join(here, `roof/${flavour}.wasm`), binary);
  }
}

if (options.peers && !existsSync(join(here, "peers/node_modules"))) {
  say("installing the peers");
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: join(here, "peers"), stdio: ["ignore", "ignore", "inherit"], shell: process.platform === "win32" });
  if (status !== 0) process.exit(1);
}
await compileRoof();
const outDir = await mkdtemp(join(tmpdir(), "turnwise-bench-"));
const root = join(here, "page");
/** Without the peers' packages their modules are left out of the page. */
const external = options.peers ? [] : [/\.\.\/peers\//];
await build({ root, configFile: false, base: "./", logLevel: "error", worker: { format: "es" }, build: { outDir, emptyOutDir: true, target: "es2023", assetsInlineLimit: 0, chunkSizeWarningLimit: 100_000, rollupOptions: { external } } });
const server = await preview({ root, configFile: false, logLevel: "error", build: { outDir }, preview: { port: 0, host: "127.0.0.1" } });
const executablePath = await findBrowser();
const browser = await chromium.launch({ args: launchArguments, ...(executablePath === undefined ? {} : { executablePath }) });
const page = await browser.newPage();
await page.goto(server.resolvedUrls?.local[0] ?? "");
await page.waitForFunction("window.bench");
/** @param {string} call @param {readonly unknown[]} values @returns {Promise<any>} */
const ask = (call, ...values) => page.evaluate(`window.bench.${call}(...${JSON.stringify(values)})`);

/** @typedef {{ median: number, min: number, max: number } | null} Summary */
/** @type {{ name: string, backend: string, config: string, train: Summary, forward: Summary }[]} */
const rows = [];
/** @type {Record<string, number[]>} */
const shares = { wasm: [], webgpu: [] };
/** Billions of multiply-adds' operations a second, by the micro-kernels. @type {Record<string, number[]>} */
const roofs = { wasm: [], webgpu: [] };
/** @type {Record<string, number[]>} */
const rolled = {};
for (const size of SIZES) {
  say(`\n${size}`);
  /** @type {string[]} */
  const names = [];
  /** @type {Map<string, number[]>} */
  const losses = new Map();
  for (const name of [...OWN, ...(options.peers ? PEERS : [])].filter((each) => isTried(each, size))) {
    try {
      await ask("open", name, size);
      const first = [];
      if (name.startsWith("onnxruntime")) first.push(await ask("forward", name));
      else for (let step = 0; step < 4; step += 1) first.push(await ask("train", name));
      losses.set(name, first);
      names.push(name);
    } catch (error) {
      say(`  ${name}: left out (${String(error).split("\n")[0]})`);
    }
  }
  const [reference = []] = losses.values();
  for (const [name, found] of losses)
    for (const [step, loss] of found.entries())
      if (!(Math.abs(loss - (reference[step] ?? Number.NaN)) <= LOSS_TOLERANCE)) throw new Error(`${name} trains another model: loss ${loss} at step ${step + 1}, expected ${reference[step]}`);

  /** @type {Map<string, { train: number[], forward: number[], steps: Record<string, number> }>} */
  const times = new Map(names.map((name) => [name, { train: [], forward: [], steps: {} }]));
  const tokens = tokensOf(size);
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [name, found] of times)
      for (const what of /** @type {const} */ (["train", "forward"])) {
        if (what === "train" && name.startsWith("onnxruntime")) continue;
        const steps = found.steps[what] ?? 1;
        const ms = await ask("time", name, what, steps);
        // The first round only tells how many steps fill a turn.
        if (round === 0) found.steps[what] = Math.max(1, Math.min(200, Math.round(TURN_MS / ms)));
        else found[what].push((tokens * steps * 1000) / ms);
      }
  if (size === "L2 d64 T128 B64" || options.quick)
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const name of OWN.filter((each) => names.includes(each))) (rolled[name] ??= []).push(await ask("rate", name, "rollouts"));
      const roof = await ask("wasmRoof", "relaxed");
      roofs["wasm"]?.push(roof.gflops);
      shares["wasm"]?.push((await ask("rate", "turnwise wasm relaxed", "products")) / 1e9 / roof.gflops);
      const gpu = await ask("webgpuRoof");
      if (gpu !== null) roofs["webgpu"]?.push(gpu.gflops);
      if (gpu !== null && names.includes("turnwise webgpu")) shares["webgpu"]?.push((await ask("rate", "turnwise webgpu", "products")) / 1e9 / gpu.gflops);
    }
  for (const [name, { train, forward }] of times) {
    rows.push({ name, backend: name.includes("webgpu") ? "webgpu" : name.includes("cpu") ? "cpu" : "wasm", config: size, train: summary(train), forward: summary(forward) });
    /** @param {Summary} of */
    const shown = (of) => (of === null ? "–".padStart(26) : `${of.median} (${of.min}–${of.max})`.padStart(26));
    say(`  ${name.padEnd(34)} train ${shown(summary(train))}  forward ${shown(summary(forward))} tokens/s`);
    await ask("close", name);
  }
}
/** @type {number[]} */
const moved = [];
for (let round = 0; round < ROUNDS; round += 1) moved.push(await ask("sokobanTransitions"));

/** @type {Map<string, { rates: number[], memory: { allocated: number, said: number } }>} */
const grown = new Map();
for (const size of new Set(GROWTH.flatMap(([, ...sizes]) => sizes))) {
  await ask("open", "turnwise wasm relaxed", size, size);
  await ask("train", size);
  grown.set(size, { rates: [], memory: await ask("memory", size) });
}
for (let round = 0; round < ROUNDS; round += 1)
  for (const [size, { rates }] of grown) {
    const steps = Math.max(1, Math.round(8192 / tokensOf(size)));
    rates.push((tokensOf(size) * steps * 1000) / (await ask("time", size, "train", steps)));
  }
const growth = GROWTH.map(([what = "", ...sizes]) => ({ what, sizes: sizes.map((size) => ({ size, train: summary(grown.get(size)?.rates ?? []), memory: grown.get(size)?.memory ?? null })) }));
for (const { what, sizes } of growth) say(`\n${what}: ${sizes.map(({ size, train }) => `${size} ${train?.median}`).join(", ")} tokens/s`);

/** @param {string} a @param {string} b @param {"train" | "forward"} what @param {string} config */
const ratio = (a, b, what, config) => {
  /** @param {string} name */
  const of = (name) => rows.find((row) => row.name === name && row.config === config)?.[what]?.median;
  const [above, below] = [of(a), of(b)];
  return above === undefined || below === undefined ? null : Math.round((above / below) * 100) / 100;
};
const small = "L2 d64 T128 B8";
const large = options.quick ? small : "L2 d64 T128 B64";
const ratios = {
  wasmTrainVsJax: ratio("turnwise wasm relaxed", "jax-js wasm", "train", large),
  wasmTrainVsJaxB8: ratio("turnwise wasm relaxed", "jax-js wasm", "train", small),
  wasmForwardVsOrt: ratio("turnwise wasm relaxed", "onnxruntime-web wasm", "forward", large),
  webgpuTrainVsJax: ratio("turnwise webgpu", "jax-js webgpu", "train", small),
  webgpuTrainVsTfjs: ratio("turnwise webgpu", "tfjs webgpu", "train", small),
  threads2: ratio("turnwise wasm relaxed, 2 threads", "turnwise wasm relaxed", "train", large),
};
/** @param {readonly number[] | undefined} list */
const share = (list) => (list === undefined || list.length === 0 ? null : Math.round(median(list) * 1000) / 1000);
const roof = { wasm: summary(roofs["wasm"] ?? []), webgpu: summary(roofs["webgpu"] ?? []) };
const roofShare = { wasm: share(shares["wasm"]), webgpu: share(shares["webgpu"]) };
const rollouts = Object.fromEntries(Object.entries(rolled).map(([name, list]) => [name, summary(list)]));
const result = { cores: cpus().length, rows, rollouts, sokoban: summary(moved), growth, ratios, roof, roofShare };
if (options.docs) {
  const plotted = rows.filter(({ config, train }) => config === small && train !== null).map(({ name, train }) => ({ name, train: train?.median ?? 0 })).toSorted((a, b) => b.train - a.train);
  const docs = join(here, "../../docs");
  await writeFile(join(docs, "benchmark.svg"), `${await ask("plot", plotted, `Tokens trained on a second, ${small}, logarithmic`)}\n`);
  await writeFile(join(docs, "benchmark.md"), reportOf(result, cpus()[0]?.model ?? "unknown", browser.version()));
}
await browser.close();
await server.close();
await rm(outDir, { recursive: true });
say(`\nrollouts, tokens/s at B=64: ${JSON.stringify(rollouts)}\nSokoban, transitions/s: ${JSON.stringify(result.sokoban)}\nratios: ${JSON.stringify(ratios)}\nshare of the roof: ${JSON.stringify(roofShare)} of ${JSON.stringify(roof)} GFLOP/s`);
if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);
