// @ts-check
/**
 * node test/bench/steps.mjs [rounds]
 * A training step of PPO's objective on Node's WebGPU adapter: milliseconds (median of the rounds, with the smallest and largest) and submits.
 * The ways to take it take turns, so that a machine whose speed changes is equally unfair to all.
 */
import { spawnSync } from "node:child_process";
import { findBrowser, vulkanDriver } from "../../scripts/browser.mjs";
import { importModule } from "../../src/cli/runner.mjs";

const driver = vulkanDriver(await findBrowser());
// The Vulkan loader reads the environment the process was started with.
if (driver !== undefined && process.env["VK_ICD_FILENAMES"] === undefined)
  process.exit(spawnSync(process.execPath, process.argv.slice(1), { stdio: "inherit", env: { ...process.env, VK_ICD_FILENAMES: driver } }).status ?? 1);

const ROUNDS = Number(process.argv[2] ?? 9);
/** Steps of a turn. */
const SIZES = { "L1 d32 T32 B2": 50, "L2 d64 T128 B8": 4 };

/** @type {{ openSteps(size: string): Promise<Record<string, (steps: number) => Promise<{ ms: number, submits: number }>>> }} */
const { openSteps } = await importModule("/test/bench/steps/main.ts");
for (const [size, steps] of Object.entries(SIZES)) {
  const ways = Object.entries(await openSteps(size));
  // The first steps compile pipelines and grow buffers.
  for (const [, take] of ways) await take(4);
  const times = new Map(ways.map(([name]) => [name, /** @type {number[]} */ ([])]));
  /** @type {Map<string, number>} */
  const submits = new Map();
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, take] of ways) {
      const taken = await take(steps);
      times.get(name)?.push(taken.ms);
      submits.set(name, taken.submits);
    }
  for (const [name, list] of times) {
    const sorted = list.toSorted((a, b) => a - b);
    const [low, median, high] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map((ms) => (ms ?? Number.NaN).toFixed(2));
    process.stdout.write(`${size}, ${name}: ${median} ms (${low} to ${high}), ${submits.get(name)} submits a step\n`);
  }
}
process.exit(0);
