import { ConfigError } from "#core/errors.ts";
import type { Needs } from "#core/credit.ts";
import type { AnyCreditEntry } from "./credit/entry.ts";
import { NEED_WORDS } from "./credit/given.ts";
import { CREDIT_ASSIGNERS } from "./credit/registry.ts";
import type { CreditConfig } from "./credit/registry.ts";
import type { AnyObjectiveEntry, ObjectiveNeed } from "./objectives/entry.ts";
import { OBJECTIVES } from "./objectives/registry.ts";
import type { ObjectiveConfig } from "./objectives/registry.ts";

/** The part of a run's configuration that decides what a trainer has to hand over. */
interface Chosen {
  readonly algorithm: { readonly credit: CreditConfig; readonly objective: ObjectiveConfig };
}

export interface UnmetNeed {
  /** Of the setting that needs it. */
  readonly path: "algorithm.credit" | "algorithm.objective";
  readonly id: string;
  readonly need: Needs | ObjectiveNeed;
  /** In words that go on from "needs". */
  readonly words: string;
}

const OBJECTIVE_WORDS: Readonly<Record<ObjectiveNeed, string>> = {
  reference: "the policy that the run started from as a reference",
  valueHead: "a value head",
  demonstrations: "demonstrations",
};

/** What a scheme needs beside the rewards, under its settings. */
export function creditNeeds(credit: CreditConfig): readonly Needs[] {
  const entry: AnyCreditEntry = CREDIT_ASSIGNERS[credit.id];
  return [...entry.needs, ...(entry.alsoNeeds?.(credit) ?? [])];
}

function objectiveNeeds(objective: ObjectiveConfig): readonly ObjectiveNeed[] {
  const entry: AnyObjectiveEntry = OBJECTIVES[objective.id];
  return entry.needs(objective);
}

/** Whether the statistics under the policy the run started from are read. */
export const needsReference = ({ algorithm }: Chosen): boolean => objectiveNeeds(algorithm.objective).includes("reference");

/** Whether steps are taken on demonstrations instead of on what was sampled. */
export const needsDemonstrations = ({ algorithm }: Chosen): boolean => objectiveNeeds(algorithm.objective).includes("demonstrations");

/** What the chosen scheme and objective need and the trainer does not hand over, in the order they are declared. */
export function unmetNeeds({ algorithm: { credit, objective } }: Chosen, provided: ReadonlySet<Needs | ObjectiveNeed>): readonly UnmetNeed[] {
  const all: readonly UnmetNeed[] = [
    ...creditNeeds(credit).map((need) => ({ path: "algorithm.credit" as const, id: credit.id, need, words: NEED_WORDS[need] })),
    ...objectiveNeeds(objective).map((need) => ({ path: "algorithm.objective" as const, id: objective.id, need, words: OBJECTIVE_WORDS[need] })),
  ];
  return all.filter(({ need }) => !provided.has(need));
}

/** To be called before a run starts. @throws ConfigError naming the first unmet need. */
export function refuseUnmetNeeds(config: Chosen, provided: ReadonlySet<Needs | ObjectiveNeed>): void {
  const [first] = unmetNeeds(config, provided);
  if (first === undefined) return;
  throw new ConfigError(`${first.path} is "${first.id}", which needs ${first.words}; this run cannot give that`, { path: first.path, need: first.need });
}
