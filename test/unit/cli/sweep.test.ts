import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { turnwise } from "../../fixtures/turnwise.ts";

const folder = mkdtempSync(join(tmpdir(), "turnwise-sweep-"));
afterAll(() => rmSync(folder, { recursive: true }));

const small = ["--preset", "refund-desk", "--from", "blank", "--updates", "1", "--set", "policy.width=32", "--set", "algorithm.groupsPerUpdate=4", "--set", "evaluation.tasks=4", "--set", "evaluation.trials=8"];
const untimed = (line: string): unknown => JSON.parse(line, (key, value: unknown) => (key === "timing" ? null : value));

test("seeds are trained as turnwise train trains each, and the mean with its interval is told at the end", async () => {
  const { status, stdout, stderr } = await turnwise("sweep", "--seeds=3,5", ...small, "--json", "--out", folder);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const lines = stdout.trimEnd().split("\n").map(untimed) as { type: string; heldout: { passHatK: number[] } }[];
  const ends = lines.filter(({ type }) => type === "run-finished").map(({ heldout }) => heldout.passHatK[0] ?? Number.NaN);
  expect(ends).toHaveLength(2);
  expect(lines.at(-1)).toMatchObject({ type: "sweep", seeds: [3, 5], heldout: ends, mean: ends.reduce((sum, end) => sum + end, 0) / 2, range: [Math.min(...ends), Math.max(...ends)] });
  for (const seed of [3, 5]) expect(existsSync(join(folder, `seed-${seed}`, "policy.safetensors"))).toBe(true);
  const alone = (await turnwise("train", "--seed", "5", ...small, "--json")).stdout.trimEnd().split("\n").map(untimed);
  expect(lines.slice(lines.findLastIndex(({ type }) => type === "run-started"), -1)).toEqual(alone);
}, 60_000);

test.each([
  ["no seeds", [], "--seeds is missing; allowed are 2 to 8 seeds"],
  ["one seed", ["--seeds", "1"], "allowed are 2 to 8 different seeds"],
  ["the same twice", ["--seeds", "1,1"], "allowed are 2 to 8 different seeds"],
  ["no number", ["--seeds", "1,x"], "--seeds is \"x\"; allowed are whole numbers"],
  ["a seed besides", ["--seeds", "1,2", "--seed", "3"], "--seed is for turnwise train"],
])("%s is one clear line on stderr and exit code 2", async (_what, argv, message) => {
  const { status, stdout, stderr } = await turnwise("sweep", ...small, ...argv);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(message);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});
