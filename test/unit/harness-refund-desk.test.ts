import { describe, expect, it } from "vitest";
import { createRng } from "#core/rng.ts";
import { DEFAULTS } from "#environments/refund-desk/config.ts";
import { createRefundDesk } from "#environments/refund-desk/index.ts";
import { demonstrate } from "#harness/demonstrate.ts";
import type { EpisodeSpec } from "#harness/episode.ts";
import { HARNESS_MAKERS } from "#harness/implementations.ts";
import { HARNESSES } from "#harness/registry.ts";
import { rollouts } from "#harness/scheduler.ts";
import { DrawingPolicy } from "./fixtures/drawing-policy.ts";

const desk = createRefundDesk();
const entry = HARNESSES["tool-loop"];
const harness = HARNESS_MAKERS[entry.id](desk.tools, desk.words);
type Task = Parameters<typeof desk.reset>[0];
type State = ReturnType<typeof desk.reset>["state"];
const specs = (split: "heldout" | "shifted", count: number, constrained: boolean): EpisodeSpec<Task, State>[] =>
  desk.tasks(DEFAULTS, split, count, createRng(1)).map((task) => ({
    environment: desk, harness, task, groupId: task.id, budget: { turns: entry.defaults.turns, retries: entry.defaults.retries, tokens: 128 },
    rng: createRng(2).fork(task.id), policyVersion: 0, constrained, varyWording: true,
  }));

describe("the tool loop on the refund desk", () => {
  it("shows every demonstration in few tokens and loses nothing of it", async () => {
    let tokens = 0;
    for (const spec of specs("heldout", 200, true)) {
      const rollout = await demonstrate(spec, desk.demonstrator(spec.task, spec.rng.fork("demonstrator"), 1));
      expect(rollout.error).toBeUndefined();
      expect(rollout.trajectory.ending).toBe("terminated");
      const [sequence] = rollout.trajectory.sequences;
      tokens += sequence?.tokens.length ?? 0;
      const { start = 0 } = rollout.trajectory.turns.at(-1) ?? {};
      const context = harness.context(rollout.trajectory.first, rollout.seen.slice(0, -1), rollout.wording);
      expect(context.tokens).toEqual(sequence?.tokens.slice(0, start));
      expect((await desk.verdict(spec.task, rollout.finalState as State, rollout.seen, "terminated")).success).toBe(true);
    }
    expect(tokens / 200).toBeLessThan(50);
  });

  it("gets through whatever a random policy does, in every split", async () => {
    for (const split of ["heldout", "shifted"] as const) {
      for (const constrained of [true, false]) {
        const results = await rollouts(specs(split, 60, constrained), new DrawingPolicy(harness.automaton), { greedy: false });
        expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
        expect(results.every(({ trajectory }) => (trajectory.sequences[0]?.tokens.length ?? 0) <= 128)).toBe(true);
        if (!constrained) expect(results.every(({ trajectory }) => trajectory.ending === "truncated")).toBe(true);
      }
    }
  });
});
