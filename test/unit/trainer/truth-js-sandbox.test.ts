import { beforeAll, describe, expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import { subjects } from "#environments/js-sandbox/catalogue.ts";
import { DEFAULTS } from "#environments/js-sandbox/config.ts";
import { createJsSandbox } from "#environments/js-sandbox/index.ts";
import { createTask, type RepairTask } from "#environments/js-sandbox/state.ts";
import { drawBug } from "#environments/js-sandbox/tasks.ts";
import { createToolLoop } from "#harness/tool-loop.ts";
import { rollouts } from "#harness/scheduler.ts";
import { measureTruth, type MemberTruth, type TruthMember } from "#trainer/truth.ts";
import { codeRunner } from "../../../src/cli/code-runner.ts";
import { TablePolicy, type Logit } from "../fixtures/table-policy.ts";
import { truthOptions } from "./truth-support.ts";

const environment = createJsSandbox({ codeRunner: codeRunner() });
const harness = createToolLoop(environment.tools, environment.words);
const { words } = harness.vocabulary;
const budget = { turns: 8, tokens: 160, retries: 3 };
const arena = {
  environment, harness, budget, constrained: true,
  worlds: (task: RepairTask, ...rest: [never, never, never, number]) => environment.worlds(DEFAULTS, task, ...rest),
};

/** One program, two bugs: a sum that starts at 1 (put 0 there), or a product that adds (put *= there). */
const WAYS = [{ subject: "fold/0", at: "@9", token: "0" }, { subject: "fold/1", at: "@19", token: "*=" }] as const;
const taskOf = ({ subject: id, at, token }: (typeof WAYS)[number], seed: number): RepairTask => {
  const subject = subjects().find((each) => each.id === id)!;
  const mutation = subject.mutations.find((each) => `@${each.at}` === at && subject.tokens[each.at] === token && each.token === (id === "fold/0" ? "1" : "+="))!;
  return createTask(drawBug(createRng(seed), DEFAULTS, subject, mutation), "train");
};

/** Tosses a coin between running the tests and editing, and, without a test's result, between the two repairs; with it, repairs rightly. */
const coin: Logit = (context, token) => {
  const seen = Array.from(context, (id) => words[id] ?? "");
  const word = words[token] ?? "";
  if (seen.includes("edited")) return word === "submit" ? 0 : -40;
  // What the sum's test file wants of its first failing input is in neither of the product's.
  const failed = seen.lastIndexOf("failed");
  const right = failed < 0 ? undefined : WAYS.find(({ subject }) => seen.slice(failed + 1, seen.indexOf("<assistant>", failed)).join(" ") === shown.get(subject));
  const last = WAYS.find(({ at }) => at === seen.at(-1));
  if (last) return word === last.token ? 0 : -40;
  if (seen.at(-1) === "edit") return (right ? right.at === word : WAYS.some(({ at }) => at === word)) ? 0 : -40;
  if (right) return word === "edit" ? 0 : -40;
  return word === "edit" || word === "run_tests" ? 0 : -40;
};
const shown = new Map<string, string>();

describe("truth of a repair", () => {
  let members: readonly TruthMember[] = [];
  let truths: readonly (MemberTruth | undefined)[] = [];

  beforeAll(async () => {
    for (const way of WAYS) {
      const { state } = environment.reset(taskOf(way, 1));
      const [outcome] = await environment.outcomes(state, { kind: "tool", name: "run_tests", args: {} });
      const { input, got, want } = outcome!.observation.content as Record<string, string>;
      shown.set(way.subject, [input, got, want].join(" "));
    }
    const task = taskOf(WAYS[0], 2);
    const specs = Array.from({ length: 24 }, (_, member) => ({
      environment, harness, task, groupId: "0", budget, rng: createRng(5).fork(String(member)), policyVersion: 0, constrained: true, varyWording: false,
    }));
    const policy = new TablePolicy(harness.automaton, coin);
    const played = await rollouts(specs, policy, { greedy: false });
    members = await Promise.all(played.map(async ({ trajectory, seen, finalState, wording }) =>
      ({ trajectory, wording, success: (await environment.verdict(task, finalState!, seen, trajectory.ending)).success })));
    [truths = []] = await measureTruth(arena, policy, [{ task, members }], truthOptions(3));
  }, 60_000);

  test("the two bugs look alike until a test is run", () => {
    expect(new Set(shown.values()).size).toBe(2);
    expect(members.some(({ success }) => success) && members.some(({ success }) => !success)).toBe(true);
  });

  test("running the tests is worth a quarter, an edit without it is a coin's toss that luck decides, and all is exact", () => {
    const share = (id: string) => 1 / subjects().find((each) => each.id === id)!.mutations.length;
    const sum = share("fold/0") / (share("fold/0") + share("fold/1"));
    for (const [index, { trajectory, success }] of members.entries()) {
      const { turns: { start, skill, luck }, labels } = truths[index]!;
      expect(start).toBeCloseTo(0.75, 5);
      expect(labels.every(({ kind }) => kind === "exact")).toBe(true);
      const tools = trajectory.turns.map(({ action }) => (action.kind === "tool" ? `${action.name} ${Object.values(action.args).map((value) => JSON.stringify(value)).join(" ")}`.trim() : ""));
      if (tools[0] === "run_tests") expect([skill[0], luck[0], success]).toEqual([expect.closeTo(0.25, 5), expect.closeTo(0, 5), true]);
      else expect(skill[0]).toBeCloseTo((tools[0] === 'edit "@9" "0"' ? sum : 1 - sum) - 0.75, 5);
      // Nobody is told how it went before it is handed in: what an edit was worth shows in the luck of the last turn.
      expect([...skill, ...luck].reduce((total, value) => total + value, start)).toBeCloseTo(success ? 1 : 0, 5);
    }
  });
});
