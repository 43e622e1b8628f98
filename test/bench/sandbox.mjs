// @ts-check
/**
 * node test/bench/sandbox.mjs [--json]
 * Small episodes a second of the JavaScript sandbox in a Chromium worker, from the built worker; median of the rounds, with the smallest and largest.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { build, preview } from "vite";
import { findBrowser, launchArguments } from "../../scripts/browser.mjs";

const { values: options } = parseArgs({ options: { json: { type: "boolean" } } });
const ROUNDS = 9;
const EPISODES = 1_000;
const WANTED = 800;

const root = join(dirname(fileURLToPath(import.meta.url)), "sandbox");
const outDir = await mkdtemp(join(tmpdir(), "turnwise-sandbox-bench-"));
await build({ root, configFile: false, base: "./", logLevel: "error", worker: { format: "es" }, build: { outDir, emptyOutDir: true, target: "es2023", assetsInlineLimit: 0 } });
const server = await preview({ root, configFile: false, logLevel: "error", build: { outDir }, preview: { port: 0, host: "127.0.0.1" } });
const executablePath = await findBrowser();
const browser = await chromium.launch({ args: launchArguments, ...(executablePath === undefined ? {} : { executablePath }) });
const page = await browser.newPage();
await page.goto(server.resolvedUrls?.local[0] ?? "");
await page.waitForFunction("window.sandboxBench");
/** @type {number[]} */
const rates = [];
for (let round = 0; round < ROUNDS; round += 1) rates.push(await page.evaluate(`window.sandboxBench.episodes(${EPISODES})`));
await browser.close();
await server.close();
await rm(outDir, { recursive: true });

const sorted = rates.map(Math.round).toSorted((a, b) => a - b);
const result = { episodesPerSecond: { median: sorted[(ROUNDS - 1) / 2] ?? 0, min: sorted[0] ?? 0, max: sorted[ROUNDS - 1] ?? 0 }, wanted: WANTED };
process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : `${result.episodesPerSecond.median} episodes a second (${result.episodesPerSecond.min} to ${result.episodesPerSecond.max}); wanted ${WANTED}\n`);
process.exitCode = result.episodesPerSecond.median >= WANTED ? 0 : 1;
