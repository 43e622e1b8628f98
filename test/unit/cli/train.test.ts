import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { readCheckpoint } from "#engine/checkpoint.ts";
import { turnwise, turnwiseProcess } from "../../fixtures/turnwise.ts";

const folder = mkdtempSync(join(tmpdir(), "turnwise-"));
afterAll(() => rmSync(folder, { recursive: true }));

const small = [
  "--preset", "refund-desk", "--from", "blank", "--updates", "2", "--set", "policy.width=32", "--set", "algorithm.groupsPerUpdate=4", "--set", "evaluation.tasks=4",
  "--set", "evaluation.trials=8",
];
const untimed = (line: string): unknown => JSON.parse(line, (key, value: unknown) => (key === "timing" ? null : value));

describe("train", () => {
  test("prints one event a line, the last one the results, and writes policy and run", async () => {
    const out = join(folder, "run");
    const { status, stdout, stderr } = turnwiseProcess("train", ...small, "--seed", "5", "--json", "--out", out);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    const last = JSON.parse(lines.at(-1) ?? "");
    expect(last).toMatchObject({ type: "run-finished", updates: 2, trajectories: 64, heldout: { tasks: 4, trials: 8, split: "heldout" }, shifted: { split: "shifted" } });
    expect(last.heldout.passHatK).toHaveLength(8);
    expect(last.heldout.passAtK).toHaveLength(8);
    expect(Object.keys(last.heldout.checks)).toEqual(["success", "naive", "eligible"]);
    expect(last.heldout.checks.success).toBe(last.heldout.passHatK[0]);
    expect(last.timing.seconds).toBeGreaterThan(0);

    const [header, ...events] = gunzipSync(readFileSync(join(out, "run.json.gz"))).toString().trimEnd().split("\n");
    expect(JSON.parse(header ?? "")).toEqual({ format: "turnwise-run", version: 1, events: lines.length });
    expect(events).toEqual(lines);
    const { model, notes } = readCheckpoint(new Uint8Array(readFileSync(join(out, "policy.safetensors"))));
    expect(model).toMatchObject({ layers: 2, width: 32, context: 128 });
    expect(notes).toMatchObject({ preset: "refund-desk", seed: "5", arithmetic: "simd128" });

    // The policy that was written is the one that was measured.
    const measured = await turnwise("evaluate", "--policy", join(out, "policy.safetensors"), "--preset", "refund-desk", "--tasks", "4", "--set", "policy.width=32", "--json");
    expect(measured.status).toBe(0);
    expect(JSON.parse(measured.stdout)).toEqual(last.heldout);

    const again = (await turnwise("train", ...small, "--seed", "5", "--json")).stdout.trimEnd().split("\n");
    expect(again.map(untimed)).toEqual(lines.map(untimed));
  }, 60_000);

  test.each([
    ["no preset", ["train"], "--preset is missing"],
    ["an unknown preset", ["train", "--preset", "desk"], "the presets are refund-desk"],
    ["an unknown backend", ["train", "--preset", "refund-desk", "--backend", "gpu"], "allowed are wasm, webgpu, reference"],
    ["a seed that is no number", ["train", "--preset", "refund-desk", "--seed", "x"], "whole numbers"],
    ["a seed below zero", ["train", "--preset", "refund-desk", "--seed", "-1"], '--seed is "-1"; allowed are whole numbers from 0 to 4294967295'],
    ["an arithmetic that the backend does not have", ["train", "--preset", "refund-desk", "--backend", "webgpu", "--arithmetic", "relaxed"], "--arithmetic relaxed is for --backend wasm"],
    ["a text for a policy", ["train", "--preset", "refund-desk", "--from", "README.md"], "README.md is not a policy: it is no safetensors file"],
    ["more trials than a run may take", ["evaluate", "--policy", "none", "--preset", "refund-desk", "--trials", "33"], "allowed are whole numbers from 1 to 32"],
    ["a setting without value", ["train", "--preset", "refund-desk", "--set", "policy.width"], "path=value"],
    ["an unknown setting", ["train", "--preset", "refund-desk", "--set", "policy.depth=2"], "has no setting"],
    ["a value out of range", ["train", "--preset", "refund-desk", "--set", "policy.width=33"], "policy.width"],
    ["an unknown scheme", ["train", "--preset", "refund-desk", "--set", "algorithm.credit=magic"], "algorithm.credit"],
    ["a value loss without a value head", ["train", "--preset", "refund-desk", "--set", "algorithm.objective.valueCoefficient=0.5"], "allowed: 0 while policy.valueHead is false"],
    ["a size the base policy does not have", ["train", "--preset", "refund-desk", "--set", "policy.width=32"], "the checkpoint has width 64, the run needs 32"],
    ["a folder that cannot be made", ["train", "--preset", "refund-desk", "--out", "/proc/turnwise/here"], "cannot make the folder"],
    ["a missing checkpoint", ["train", "--preset", "refund-desk", "--from", "/nowhere.safetensors"], "cannot read /nowhere.safetensors"],
    ["a checkpoint that is none", ["evaluate", "--preset", "refund-desk", "--policy", "package.json"], "is not a policy"],
    ["no output", ["pretrain", "--preset", "refund-desk"], "--out is missing"],
  ])("%s is one clear line on stderr and exit code 2", async (_what, argv, message) => {
    const { status, stdout, stderr } = await turnwise(...argv);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("train --recipe", () => {
  test("sets the algorithm, and --set still has the last word", async () => {
    const { status, stdout } = await turnwise("train", ...small, "--recipe", "random-reward", "--set", "reward.rate=0.25", "--updates", "1", "--json");
    expect(status).toBe(0);
    const { config } = JSON.parse(stdout.split("\n")[0] ?? "") as { config: unknown };
    expect(config).toMatchObject({ reward: { id: "coin-flip", rate: 0.25 }, algorithm: { credit: { id: "flat" }, resampleRounds: 0, groupsPerUpdate: 4 } });
  });

  test("of a name that there is not: the names there are", async () => {
    const { status, stderr } = await turnwise("train", ...small, "--recipe", "nope");
    expect(status).toBe(2);
    expect(stderr).toContain('--recipe is "nope"; the recipes are grpo, dr-grpo, dapo,');
  });
});
