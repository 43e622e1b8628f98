// @ts-check
/**
 * node test/bench/steps.mjs [rounds]
 * A training step of PPO's objective on Node's WebGPU adapter: milliseconds (median of the rounds, with the smallest and largest) and submits.
 * The ways to take it take turns, so that a machine whose speed changes is equally unfair to all.
 */
import { importModule } from "../../src/cli/runner.mjs";

const ROUNDS = Number(process.argv[2] ?? 9);
const STEPS = 4;

/** @type {{ openSteps(): Promise<Record<string, (steps: number) => Promise<{ ms: number, submits: number }>>> }} */
const { openSteps } = await importModule("/test/bench/steps/main.ts");
const ways = Object.entries(await openSteps());
// The first steps compile pipelines and grow buffers.
for (const [, take] of ways) await take(2);
const times = new Map(ways.map(([name]) => [name, /** @type {number[]} */ ([])]));
/** @type {Map<string, number>} */
const submits = new Map();
for (let round = 0; round < ROUNDS; round += 1)
  for (const [name, take] of ways) {
    const taken = await take(STEPS);
    times.get(name)?.push(taken.ms);
    submits.set(name, taken.submits);
  }
for (const [name, list] of times) {
  const sorted = list.toSorted((a, b) => a - b);
  const [low, median, high] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map((ms) => (ms ?? Number.NaN).toFixed(1));
  process.stdout.write(`${name}: ${median} ms (${low} to ${high}), ${submits.get(name)} submits a step\n`);
}
process.exit(0);
