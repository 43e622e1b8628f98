import { beforeAll, describe, expect, test } from "vitest";
import { PRESETS } from "#run/run-config.ts";
import { encodeEvidence } from "#share/evidence-codec.ts";
import { NO_EXTRAS } from "#share/link-extras.ts";
import { encodeRunLink } from "#share/run-link.ts";
import { exitCodeOf } from "../../../src/cli/commands/check.ts";
import { turnwise } from "../../fixtures/turnwise.ts";

const SMALL = ["--preset", "refund-desk", "--from", "blank", "--updates", "4", "--seed", "9", "--set", "policy.width=32", "--set", "algorithm.groupsPerUpdate=4", "--set", "evaluation.tasks=2", "--set", "evaluation.trials=1"];

describe("check", () => {
  let link: string;
  let fingerprint: string;
  beforeAll(async () => {
    const last: unknown = JSON.parse((await turnwise("train", ...SMALL, "--threads", "1", "--json", "--link")).stdout.trim().split("\n").at(-1) ?? "");
    ({ link, fingerprint } = last as { link: string; fingerprint: string });
  }, 60_000);

  test("a link made on one thread is the same on two, and on other words for the same place", async () => {
    const { status, stdout } = await turnwise("check", `https://example.org/turnwise/${link}`, "--threads", "2");
    expect({ status, stdout }).toEqual({ status: 0, stdout: "same: the weights' bits agree at every mark up to update 4\n" });
  }, 60_000);

  test("other settings under the same evidence are diverged, with exit code 1", async () => {
    const { status, stdout } = await turnwise("check", link.replace("s=9", "s=9&algorithm.learningRate=0.001"), "--json");
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ kind: "diverged", after: 0, by: 1, what: "bits" });
  }, 60_000);

  test("reads what is in it, and plays its trajectories, without training", async () => {
    const { status, stdout } = await turnwise("check", link, "--read", "--json");
    expect(status).toBe(0);
    const read: unknown = JSON.parse(stdout);
    expect(read).toMatchObject({ preset: "refund-desk", arithmetic: "simd128", update: 4, updates: 4, fingerprint });
    // The start and four updates, four digits each.
    expect(fingerprint).toMatch(/^[0-9a-f]{20}$/);
    expect((read as { group: { members: readonly unknown[] } }).group.members.length).toBeGreaterThan(0);
  }, 60_000);

  test("evidence without a mark is refused before anything is trained, and can be read all the same", async () => {
    const config = PRESETS["refund-desk"];
    const evidence = encodeEvidence(config, { arithmetic: "simd128", start: 7, update: 1, marks: [], trajectories: null });
    const bare = await encodeRunLink({ config, view: null, unknown: [] }, { ...NO_EXTRAS, evidence });
    const { status, stdout, stderr } = await turnwise("check", bare);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe("turnwise: the evidence has no mark of the weights, so there is nothing to compare with: --read says what is in it\n");
    expect(await turnwise("check", bare, "--read")).toMatchObject({ status: 0 });
  }, 60_000);

  test.each([
    ["same", { kind: "same", until: 1, isWhole: false }, 0], ["within", { kind: "within", until: 1, isWhole: true, success: 0, drift: 0 }, 0],
    ["diverged", { kind: "diverged", after: 0, by: 1, what: "bits" }, 1], ["nothing to compare", { kind: "waiting" }, 1],
  ] as const)("the exit code of %s", (_, verdict, code) => {
    expect(exitCodeOf(verdict)).toBe(code);
  });

  test.each([
    ["no link", "hello", 1, "this is no link to a run"],
    ["a link without evidence", "#/play?v=1&p=refund-desk&s=1", 1, "carries no evidence"],
    ["evidence that was cut", "#/play?v=1&p=refund-desk&s=1&e=Y2TI", 1, "damaged"],
  ])("%s is told in one line", async (_, text, code, message) => {
    const { status, stdout, stderr } = await turnwise("check", text);
    expect({ status, stdout }).toEqual({ status: code, stdout: "" });
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain(message);
  }, 60_000);
});
