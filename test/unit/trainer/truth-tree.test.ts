import { describe, expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import type { Action } from "#core/trajectory.ts";
import { createRefundDesk } from "#environments/refund-desk/index.ts";
import { BeliefStore } from "#trainer/truth/belief.ts";
import { ChoiceTable, contextOf, tokensText, type Written } from "#trainer/truth/choices.ts";
import { expand } from "#trainer/truth/expand.ts";
import { halfWidthOfMean, studentQuantile } from "#trainer/truth/interval.ts";
import { Pace } from "#trainer/truth/pace.ts";
import { Tree, type TruthScene } from "#trainer/truth/tree.ts";
import { FIRST, type TabularState, type TabularTask } from "../fixtures/tabular.ts";
import { TablePolicy } from "../fixtures/table-policy.ts";
import { tabularArena, tabularPolicy, WORDING } from "./truth-support.ts";

const pace = new Pace(() => Promise.resolve());
const arena = tabularArena(3, true);

const tableOf = (policy: TablePolicy, constrained: boolean, wanted: ReadonlyMap<string, ReadonlySet<string>> = new Map()): ChoiceTable =>
  new ChoiceTable({ policy, harness: arena.harness, constrained, wanted, pace, rng: createRng(1) });

function tabularTree(policy: TablePolicy, scene: TruthScene<TabularTask, TabularState> = arena): Tree<TabularTask, TabularState> {
  return new Tree(scene, tableOf(policy, scene.constrained), new BeliefStore(scene.environment, pace));
}

const allWorlds = () => {
  const { worlds } = arena.worlds({ id: "", split: "train", prize: "", guide: "" }, FIRST, [], createRng(1), 1);
  return { tasks: worlds.map(({ task }) => task), states: worlds.map(({ state }) => state), weights: worlds.map(({ probability }) => probability) };
};

describe("what a policy may do", () => {
  test("is asked in batches, and sums to 1 with what was left out", async () => {
    const policy = tabularPolicy(arena);
    const table = tableOf(policy, true);
    const contexts = Array.from({ length: 100 }, (_, index) => contextOf(Uint32Array.from([1, 2, 3 + (index % 7), 4 + (index % 20), index % 3])));
    await table.ask(contexts);
    expect(policy.largestBatch).toBeGreaterThan(16);
    const before = policy.asked;
    await table.ask(contexts);
    expect(policy.asked).toBe(before);
    for (const context of contexts) {
      const { list, rest } = table.at(context);
      expect(list).toHaveLength(7);
      expect(list.reduce((sum, { probability }) => sum + probability, rest)).toBeCloseTo(1, 12);
      expect(list.map(({ probability }) => probability)).toEqual(list.map(({ probability }) => probability).toSorted((a, b) => b - a));
    }
  });

  test("leaves out what is improbable, unless it is wanted", async () => {
    const { words } = arena.harness.vocabulary;
    const shy = new TablePolicy(arena.harness.automaton, (_context, token) => (words[token] === "open" || words[token] === "blue" ? -12 : 0));
    const context = contextOf(arena.harness.context(FIRST, [], WORDING).tokens);
    const opens: Action = { kind: "tool", name: "open", args: { box: "blue" } };
    const text = tokensText(arena.harness.encode(opens));
    const [without, wanting] = [tableOf(shy, true), tableOf(shy, true, new Map([[context.text, new Set([text])]]))];
    await without.ask([context]);
    await wanting.ask([context]);
    expect(without.at(context).list.map(({ written }) => written.text)).not.toContain(text);
    expect(without.at(context).rest).toBeGreaterThan(1e-6);
    const found = wanting.at(context).list.find(({ written }) => written.text === text);
    expect(found?.written.action).toEqual(opens);
    expect(Math.log(found?.probability ?? 1)).toBeCloseTo(-24 - Math.log(2) - Math.log(2), 4);
  });

  test("is any string of tokens while decoding is free", async () => {
    const table = tableOf(tabularPolicy(arena), false);
    const context = contextOf(arena.harness.context(FIRST, [], WORDING).tokens);
    await table.ask([context]);
    const { list, rest } = table.at(context);
    expect(list.some(({ written }) => written.action.kind === "malformed")).toBe(true);
    expect(list.reduce((sum, { probability }) => sum + probability, rest)).toBeCloseTo(1, 9);
  });
});

describe("the tree", () => {
  test("has Σ π(a|h)·skill = 0 at every expanded node, and bounds that hold its values", async () => {
    const tree = tabularTree(tabularPolicy(arena));
    const root = tree.root(FIRST, [], WORDING, allWorlds());
    await expand(tree, [{ parts: [{ node: root, share: 1 }], taken: new Set() }], { maxMass: 0.05, maxNodes: 1e6 });
    const nodes = tree.layers.flat().filter(({ pairs }) => pairs.length > 0);
    expect(nodes.length).toBeGreaterThan(20);
    for (const { pairs, estimate, low, unexplored } of nodes) {
      const known = pairs.filter((pair) => !Number.isNaN(pair.estimate));
      expect(known.reduce((sum, pair) => sum + pair.choice.probability * (pair.estimate - estimate), 0)).toBeCloseTo(0, 12);
      expect(estimate).toBeGreaterThanOrEqual(low - 1e-12);
      expect(estimate).toBeLessThanOrEqual(low + unexplored + 1e-12);
    }
    expect(root.unexplored).toBeLessThanOrEqual(0.05);
  });

  test("expands in order of reach: no pair that was left is more probable than twice the least that was taken", async () => {
    const tree = tabularTree(tabularPolicy(arena));
    const root = tree.root(FIRST, [], WORDING, allWorlds());
    await expand(tree, [{ parts: [{ node: root, share: 1 }], taken: new Set() }], { maxMass: 0.2, maxNodes: 1e6 });
    const [taken, left]: [number[], number[]] = [[], []];
    for (const node of tree.layers.flat()) {
      const opened = new Set(node.pairs.map(({ choice }) => choice));
      for (const choice of node.choices?.list ?? []) (opened.has(choice) ? taken : left).push(node.weight * choice.probability);
    }
    expect(left.length).toBeGreaterThan(0);
    expect(Math.max(...left)).toBeLessThanOrEqual(2 * Math.min(...taken));
  });

  test("judges what ended by its ending: terminated, or truncated when the turns are used up", async () => {
    const shareOf = async (ending: string): Promise<number> => {
      const judging = { ...arena.environment, verdict: (_task: unknown, _state: unknown, _seen: unknown, how: string) => ({ success: how === ending, checks: [], monitors: [] }) };
      const tree = tabularTree(tabularPolicy(arena), { ...arena, environment: judging });
      const root = tree.root(FIRST, [], WORDING, allWorlds());
      await expand(tree, [{ parts: [{ node: root, share: 1 }], taken: new Set() }], { maxMass: 1e-6, maxNodes: 1e6 });
      return root.estimate;
    };
    const [terminated, truncated] = [await shareOf("terminated"), await shareOf("truncated")];
    expect(terminated + truncated).toBeCloseTo(1, 5);
    expect(Math.min(terminated, truncated)).toBeGreaterThan(0.05);
  });

  test("is one node for equal context, belief and turns left", async () => {
    // A jammed box and a silent guide are told apart by the environment, not by this harness, and here neither says anything.
    const { harness, environment } = arena;
    const scene: TruthScene<TabularTask, TabularState> = {
      ...arena,
      harness: { ...harness, observation: (observation, wording, first) => harness.observation(first ? observation : { kind: "error", content: "jammed" }, wording, first) },
      environment: {
        ...environment,
        outcomes: (state, action) => (action.kind === "tool" && action.name === "ask"
          ? ["jammed", "silence"].map((content) => ({ probability: 0.5, state, observation: { kind: "error", content }, terminated: false, events: [] }))
          : environment.outcomes(state, action)),
      },
    };
    const tree = tabularTree(tabularPolicy(arena), scene);
    const root = tree.root(FIRST, [], WORDING, allWorlds());
    expect(tree.root(FIRST, [], WORDING, allWorlds())).toBe(root);
    await tree.ask([root]);
    const ask = root.choices?.list.find(({ written: { action } }) => action.kind === "tool" && action.name === "ask");
    if (!ask) throw new Error("asking is not among the actions");
    const { children } = await tree.expand(root, ask, 1);
    expect(children.map(({ text }) => text)).toEqual(['error "jammed"', 'error "silence"']);
    expect(children[0]?.node).toBe(children[1]?.node);
    expect(tree.layers.map(({ length }) => length)).toEqual([1, 1, 0, 0]);
  });

  test("unconstrained: malformed actions cost a turn and end the episode when the retries are used up", async () => {
    const scene = { ...arena, constrained: false, budget: { ...arena.budget, retries: 0 } };
    const tree = tabularTree(tabularPolicy(arena), scene);
    const root = tree.root(FIRST, [], WORDING, allWorlds());
    await expand(tree, [{ parts: [{ node: root, share: 1 }], taken: new Set() }], { maxMass: 0.5, maxNodes: 8 });
    const malformed = root.pairs.filter(({ choice }) => choice.written.action.kind === "malformed");
    expect(malformed.length).toBeGreaterThan(0);
    for (const { children, ended, won } of malformed) expect([children.length, ended, won]).toEqual([0, 1, 0]);
  });
});

describe("beliefs", () => {
  const desk = createRefundDesk();
  const written = (name: string, args: Readonly<Record<string, string>> = {}): Written => ({ text: `${name} ${JSON.stringify(args)}`, tokens: new Uint32Array(), action: { kind: "tool", name, args } });

  test("of a call that changes nothing are one, and the environment is asked once", async () => {
    let calls = 0;
    const counting = { ...desk, outcomes: (...call: Parameters<typeof desk.outcomes>) => ((calls += 1), desk.outcomes(...call)) };
    const [task] = desk.tasks({ maxOrders: 3, denyShare: 0.4, ambiguousShare: 0.35, recentShare: 0.3, failureRate: 0, briefed: false }, "train", 1, createRng(2));
    if (!task) throw new Error("no task");
    const store = new BeliefStore(counting, pace);
    const start = store.certain(task, desk.reset(task).state);
    const [listed] = await store.answers(start, written("lookup_orders"));
    const [again] = await store.answers(listed?.belief ?? start, written("lookup_orders"));
    expect(again?.belief.number).toBe(listed?.belief.number);
    const before = calls;
    await store.answers(listed?.belief ?? start, written("lookup_orders"));
    expect(calls).toBe(before);
  });

  test("worlds split by what is observed, and weigh what they explain", async () => {
    const store = new BeliefStore(arena.environment, pace);
    const answers = await store.answers(store.keep(allWorlds()), written("ask"));
    expect(answers.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 12);
    for (const { belief, observation } of answers) {
      const seen = [{ action: { kind: "tool" as const, name: "ask", args: {} }, observation }];
      const { worlds } = arena.worlds({ id: "", split: "train", prize: "", guide: "" }, FIRST, seen, createRng(1), 1);
      expect(belief.tasks.map(({ id }) => id)).toEqual(worlds.map(({ task }) => task.id));
      for (const [index, { probability }] of worlds.entries()) expect(belief.weights[index]).toBeCloseTo(probability, 12);
    }
  });
});

describe("intervals", () => {
  test("Student's quantiles agree with the tables", () => {
    for (const [df, value] of [[3, 3.182], [5, 2.571], [10, 2.228], [30, 2.042], [1000, 1.962]] as const) expect(Math.abs(studentQuantile(df) / value - 1)).toBeLessThan(0.05);
  });

  test("few draws that agree are no certainty, and many are nearly one", () => {
    const even = (count: number): number[] => Array.from({ length: count }, () => 1 / count);
    const of = (count: number): number => halfWidthOfMean(even(count).map(() => 0.5), even(count), -1, 1);
    expect(of(4)).toBeGreaterThan(0.5);
    expect(of(1000)).toBeLessThan(0.01);
    expect(halfWidthOfMean([1, -1, 1, -1], even(4), -1, 1)).toBeGreaterThan(of(4) / 2);
  });
});
