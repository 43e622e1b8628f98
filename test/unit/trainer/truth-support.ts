import type { Rng } from "#core/chance.ts";
import type { Task } from "#core/environment.ts";
import { hashText } from "#core/json.ts";
import { exp } from "#core/math.ts";
import { createRng } from "#core/rng.ts";
import type { Action, SeenStep } from "#core/trajectory.ts";
import { rollouts } from "#harness/scheduler.ts";
import { createToolLoop } from "#harness/tool-loop.ts";
import type { Arena } from "#trainer/arena.ts";
import type { TruthGroup, TruthOptions } from "#trainer/truth.ts";
import { ALL_WAYS, boxOf, BOXES, createTabular, FIRST, happenings, priorOf, TOOLS, type TabularState, type TabularTask } from "../fixtures/tabular.ts";
import { TablePolicy, type Logit } from "../fixtures/table-policy.ts";

type TruthArena<T extends Task, S> = Pick<Arena<T, S>, "environment" | "harness" | "budget" | "constrained" | "worlds">;

export const WORDING = { variant: 0 };

/** @param listed whether all worlds are known. */
export function tabularArena(turns: number, listed: boolean): TruthArena<TabularTask, TabularState> {
  const environment = createTabular();
  return {
    environment,
    harness: createToolLoop(TOOLS, environment.words),
    budget: { turns, tokens: 128, retries: 3 },
    constrained: true,
    worlds: (task, first, seen, rng, limit) => environment.worlds({ listed }, task, first, seen, rng, limit),
  };
}

/** Asks, then mostly opens what was named; besides, a taste of its own for every context. */
export function tabularLogit({ harness: { vocabulary: { words } } }: Pick<TruthArena<TabularTask, TabularState>, "harness">): Logit {
  return (context, token) => {
    const taste = (hashText(`${context.join(" ")} ${token}`) / 4294967296) * 1.6 - 0.8;
    const named = words[context[context.findLastIndex((seen) => words[seen] === "<user>") + 1] ?? -1];
    const asked = context.some((seen) => words[seen] === "<user>");
    const word = words[token];
    if (word === "ask") return taste + (asked ? -1 : 1);
    if (word === "open") return taste + (asked ? 1.5 : 0);
    return taste + (asked && word === named ? 2.5 : 0);
  };
}

export const tabularPolicy = (arena: TruthArena<TabularTask, TabularState>): TablePolicy => new TablePolicy(arena.harness.automaton, tabularLogit(arena));

/** Trajectories of some tasks, one group each. */
export async function playGroups<T extends Task, S>(arena: TruthArena<T, S>, policy: TablePolicy, tasks: readonly T[], size: number, rng: Rng): Promise<readonly TruthGroup<T>[]> {
  const { environment, harness, budget, constrained } = arena;
  const specs = tasks.flatMap((task, group) => Array.from({ length: size }, (_, member) => ({
    environment, harness, task, groupId: String(group), budget, rng: rng.fork(`${group}/${member}`), policyVersion: 0, constrained, varyWording: false,
  })));
  const played = await rollouts(specs, policy, { greedy: false });
  return tasks.map((task, group) => ({
    task,
    members: played.slice(group * size, (group + 1) * size).map(({ trajectory, seen, finalState, wording }) => {
      const verdict = environment.verdict(task, finalState as S, seen, trajectory.ending);
      return { trajectory, wording, success: "success" in verdict && verdict.success };
    }),
  }));
}

export const truthOptions = (seed: number, changes: Partial<TruthOptions> = {}): TruthOptions => ({
  given: "history", worlds: 32, maxNodes: 20000, maxMass: 0.02, branchMass: 0.2, branchNodes: 2000,
  rng: createRng(seed), gate: () => Promise.resolve(), ...changes,
});

/** One way things may be, with its unnormalised weight. */
interface Way {
  readonly prize: string;
  readonly guide: string;
  readonly opened: string;
  readonly weight: number;
}

const everyWay = (): readonly Way[] => ALL_WAYS.map(([prize, guide]) => ({ prize, guide, opened: "", weight: priorOf(prize, guide) }));
const ACTIONS: readonly Action[] = [
  { kind: "tool", name: "ask", args: {} },
  ...["peek", "open"].flatMap((name) => BOXES.map((box) => ({ kind: "tool" as const, name, args: { box } }))),
];
const shown = ({ kind, content }: SeenStep["observation"]): string => JSON.stringify([kind, content]);
const nameOf = (action: Action): string => JSON.stringify(action);

/**
 * V and Q by dynamic programming over histories, on weights that are never normalised: nothing of the code under test but the
 * writing of contexts. `given` fixes the hidden state.
 */
export class Solver {
  readonly #arena: TruthArena<TabularTask, TabularState>;
  readonly #logit: Logit;
  readonly #start: readonly Way[];
  readonly #known = new Map<string, ReadonlyMap<string, number>>();
  constructor(arena: TruthArena<TabularTask, TabularState>, given?: TabularTask, logit: Logit = tabularLogit(arena)) {
    this.#arena = arena;
    this.#logit = logit;
    this.#start = given ? [{ prize: given.prize, guide: given.guide, opened: "", weight: 1 }] : everyWay();
  }

  value(seen: readonly SeenStep[]): number {
    const ways = this.#after(seen);
    return this.#won(seen, ways) / total(ways);
  }

  actionValue(seen: readonly SeenStep[], action: Action): number {
    const ways = this.#after(seen);
    return this.#wonBy(seen, ways, action) / total(ways);
  }

  probability(seen: readonly SeenStep[], action: Action): number {
    return this.#probabilities(seen).get(nameOf(action)) ?? 0;
  }

  #after(seen: readonly SeenStep[]): readonly Way[] {
    let ways = this.#start;
    for (const { action, observation } of seen) {
      ways = ways.flatMap(({ prize, guide, opened, weight }) => happenings(prize, guide, opened, action)
        .filter(([, answer, , ends]) => !ends && shown(answer) === shown(observation))
        .map(([probability, , after]) => ({ prize, guide, opened: after, weight: weight * probability })));
    }
    return ways;
  }

  #won(seen: readonly SeenStep[], ways: readonly Way[]): number {
    if (seen.length >= this.#arena.budget.turns) return total(ways.filter(({ prize, opened }) => prize === opened));
    const probabilities = this.#probabilities(seen);
    return ACTIONS.reduce((sum, action) => sum + (probabilities.get(nameOf(action)) ?? 0) * this.#wonBy(seen, ways, action), 0);
  }

  #wonBy(seen: readonly SeenStep[], ways: readonly Way[], action: Action): number {
    let won = 0;
    const going = new Map<string, { observation: SeenStep["observation"]; ways: Way[] }>();
    for (const { prize, guide, opened, weight } of ways) {
      for (const [probability, observation, after, ends] of happenings(prize, guide, opened, action)) {
        const way = { prize, guide, opened: after, weight: weight * probability };
        if (ends) won += after === prize ? way.weight : 0;
        else going.set(shown(observation), { observation, ways: [...going.get(shown(observation))?.ways ?? [], way] });
      }
    }
    return [...going.values()].reduce((sum, { observation, ways: left }) => sum + this.#won([...seen, { action, observation }], left), won);
  }

  #probabilities(seen: readonly SeenStep[]): ReadonlyMap<string, number> {
    const key = JSON.stringify(seen);
    const known = this.#known.get(key) ?? this.#probabilitiesAt(seen);
    this.#known.set(key, known);
    return known;
  }

  #probabilitiesAt(seen: readonly SeenStep[]): ReadonlyMap<string, number> {
    const { harness } = this.#arena;
    const context = harness.context(FIRST, seen, WORDING).tokens;
    const id = (word: string): number => harness.vocabulary.id(word);
    const softmax = (before: Uint32Array, words: readonly string[]): ReadonlyMap<string, number> => {
      const masses = words.map((word) => exp(this.#logit(before, id(word))));
      const sum = masses.reduce((all, mass) => all + mass, 0);
      return new Map(words.map((word, index) => [word, (masses[index] ?? 0) / sum]));
    };
    const tools = softmax(context, ["ask", "peek", "open"]);
    return new Map(ACTIONS.map((action) => {
      if (action.kind !== "tool") return ["", 0];
      const chosen = tools.get(action.name) ?? 0;
      if (action.name === "ask") return [nameOf(action), chosen];
      return [nameOf(action), chosen * (softmax(Uint32Array.from([...context, id(action.name)]), BOXES).get(boxOf(action)) ?? 0)];
    }));
  }
}

const total = (ways: readonly Way[]): number => ways.reduce((sum, { weight }) => sum + weight, 0);
