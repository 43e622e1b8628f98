import { expect, test } from "vitest";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import type { CreditConfig } from "#algorithms/credit/registry.ts";
import { needsDemonstrations, needsReference, refuseUnmetNeeds, unmetNeeds } from "#algorithms/needs.ts";
import { OBJECTIVES } from "#algorithms/objectives/registry.ts";
import type { ObjectiveConfig } from "#algorithms/objectives/registry.ts";
import { RECIPES } from "#algorithms/recipes.ts";
import type { Recipe } from "#algorithms/recipes.ts";
import { ConfigError } from "#core/errors.ts";

const credit = (id: CreditConfig["id"], change: object = {}): CreditConfig => ({ id, ...CREDIT_ASSIGNERS[id].defaults, ...change }) as CreditConfig;
const objective = (id: ObjectiveConfig["id"], change: object = {}): ObjectiveConfig => ({ id, ...OBJECTIVES[id].defaults, ...change }) as ObjectiveConfig;
const chosen = (scheme: CreditConfig, loss: ObjectiveConfig = objective("clipped")) => ({ algorithm: { credit: scheme, objective: loss } });
const namesOf = (config: ReturnType<typeof chosen>, ...provided: Parameters<typeof unmetNeeds>[1] extends ReadonlySet<infer N> ? N[] : never): string[] =>
  unmetNeeds(config, new Set(provided)).map(({ path, need }) => `${path} ${need}`);

test("what a scheme and an objective need is unmet unless it is handed over", () => {
  expect(namesOf(chosen(credit("flat")))).toEqual([]);
  expect(namesOf(chosen(credit("critic")))).toEqual(["algorithm.credit values"]);
  expect(namesOf(chosen(credit("critic")), "values")).toEqual([]);
  expect(namesOf(chosen(credit("critic", { step: "token" })), "values")).toEqual(["algorithm.credit tokenValues"]);
  expect(namesOf(chosen(credit("prime")), "tokenScores")).toEqual(["algorithm.credit tokenReferences"]);
  expect(namesOf(chosen(credit("flat"), objective("dpo")))).toEqual(["algorithm.objective reference"]);
  expect(namesOf(chosen(credit("truth"), objective("gspo", { klCoefficient: 0.1, valueCoefficient: 0.5 })), "truth")).toEqual(["algorithm.objective reference", "algorithm.objective valueHead"]);
});

test("only what a term or DPO reads makes a reference necessary", () => {
  expect(needsReference(chosen(credit("flat")))).toBe(false);
  expect(needsReference(chosen(credit("flat"), objective("raft", { klCoefficient: 0.1, klEstimator: "k3" })))).toBe(true);
  expect(needsReference(chosen(credit("flat"), objective("dpo")))).toBe(true);
});

test("only imitation takes its steps on demonstrations", () => {
  const ids = Object.keys(OBJECTIVES) as ObjectiveConfig["id"][];
  expect(ids.filter((id) => needsDemonstrations(chosen(credit("flat"), objective(id))))).toEqual(["sft"]);
});

test("a run is refused in words", () => {
  const refuse = (): void => refuseUnmetNeeds(chosen(credit("istar")), new Set());
  expect(refuse).toThrow(ConfigError);
  expect(refuse).toThrow('algorithm.credit is "istar", which needs log-probabilities of an implicit reward model; this run cannot give that');
  expect(() => refuseUnmetNeeds(chosen(credit("istar")), new Set(["tokenScores"]))).not.toThrow();
  for (const id of Object.keys(CREDIT_ASSIGNERS) as CreditConfig["id"][]) {
    if (CREDIT_ASSIGNERS[id].needs.length > 0) expect(() => refuseUnmetNeeds(chosen(credit(id)), new Set())).toThrow(ConfigError);
    else expect(() => refuseUnmetNeeds(chosen(credit(id)), new Set())).not.toThrow();
  }
});

test("recipes whose parts need more than rewards are known as such", () => {
  const missing = Object.entries(RECIPES).flatMap(([id, recipe]: [string, Recipe]) => {
    const unmet = unmetNeeds({ algorithm: recipe.settings }, new Set());
    return unmet.length === 0 ? [] : [`${id}: ${unmet.map(({ need }) => need).join(", ")}`];
  });
  expect(missing).toEqual(["ppo: values, valueHead", "istar: tokenScores", "vineppo: branchReturns", "dpo: reference", "sft-only: demonstrations", "truth: truth"]);
  for (const recipe of Object.values<Recipe>(RECIPES)) expect(recipe.valueHead ?? false).toBe(recipe.settings.objective.valueCoefficient > 0);
});
