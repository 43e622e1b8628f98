import { beforeAll, expect, test } from "vitest";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import { returnsToGo } from "#algorithms/returns.ts";
import { REWARD_SOURCES } from "#algorithms/rewards/registry.ts";
import { mean } from "#core/statistics.ts";
import { createCritic } from "#trainer/scorer/critic.ts";
import { createImplicitScorer } from "#trainer/scorer/implicit.ts";
import { outcomeLabels, targetLabels, verdictLabels } from "#trainer/scorer/labels.ts";
import { createRewardModel } from "#trainer/scorer/reward-model.ts";
import type { ImplicitScorer } from "#trainer/scorer.ts";
import { checkpointFor } from "../../../src/cli/host.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { DESK, workshop, type SampledGroups, type Workshop } from "./scorer-support.ts";

/** Updates' worth of groups of the base policy, each gone through once at the rates and steps that are the defaults. */
const UPDATES = 12;
let shop: Workshop;
const batches: SampledGroups[] = [];
let heldOut: SampledGroups;

beforeAll(async () => {
  shop = await workshop(await wasmExecutor("simd128"), DESK, await checkpointFor("base", DESK.preset));
  for (let update = 0; update < UPDATES; update += 1) batches.push(await shop.sample(`update/${update}`, "train", 32, 8));
  heldOut = await shop.sample("held-out", "heldout", 64, 8);
}, 120_000);

const settingsOf = ({ networkLearningRate, networkSteps }: { readonly networkLearningRate: number; readonly networkSteps: number }) => ({ learningRate: networkLearningRate, steps: networkSteps });

/** Share of all pairs of a success and a failure of a held-out group that are in the right order; a tie counts half. */
function pairAccuracy(scores: readonly (readonly number[])[]): number {
  const pairs = heldOut.scored.flatMap(({ members }, group) => members.flatMap((won, a) => members.flatMap((lost, b) => {
    if (!won.verdict.success || lost.verdict.success) return [];
    const lead = scores[group]![a]! - scores[group]![b]!;
    return [lead === 0 ? 0.5 : lead > 0 ? 1 : 0];
  })));
  expect(pairs.length).toBeGreaterThan(500);
  return mean(pairs);
}

test("the critic explains some of the return of held-out trajectories, turn by turn", async () => {
  const critic = createCritic(shop.parts, settingsOf(CREDIT_ASSIGNERS.critic.defaults));
  const explained = async (): Promise<number> => {
    const scores = await critic.score(heldOut.groups);
    const turns = heldOut.scored.flatMap(({ members }, group) => members.flatMap(({ rewards }, index) =>
      Array.from(returnsToGo(rewards), (got, turn) => ({ got, said: scores[group]![index]!.values[turn]! }))));
    const centre = mean(turns.map(({ got }) => got));
    return 1 - mean(turns.map(({ got, said }) => (got - said) ** 2)) / mean(turns.map(({ got }) => (got - centre) ** 2));
  };
  expect(await explained()).toBeLessThan(-0.5);
  for (const { groups, scored } of batches) await critic.fit(targetLabels(groups, scored.map(({ members }) => members.map(({ trajectory }) => ({ perTurn: new Float32Array(trajectory.turns.length) })))));
  expect(await explained()).toBeGreaterThan(0.05);
  critic.dispose();
}, 120_000);

const sums = async (scorer: ImplicitScorer, against: "policy" | "start"): Promise<number[][]> =>
  (await scorer.score(heldOut.groups)).map((members, group) => members.map(({ tokenScores, tokenReferences }, index) => {
    const { sequences } = heldOut.scored[group]!.members[index]!.trajectory;
    return tokenScores.flatMap((row, sequence) => [...row].map((value, at) => value - (against === "policy" ? sequences[sequence]!.behaviorLogprobs : tokenReferences[sequence]!)[at]!)).reduce((sum, value) => sum + value, 0);
  }));

test("an implicit reward model tells held-out successes from failures, in either form", async () => {
  const { istar, prime } = CREDIT_ASSIGNERS;
  const pairs = createImplicitScorer(shop.parts, settingsOf(istar.defaults), { kind: "istar", beta: istar.defaults.beta, form: istar.defaults.form });
  const outcomes = createImplicitScorer(shop.parts, settingsOf(prime.defaults), { kind: "prime", beta: prime.defaults.beta });
  // At its start it is the policy: it tells nothing.
  expect(pairAccuracy(await sums(outcomes, "start"))).toBe(0.5);
  for (const { groups } of batches) {
    await pairs.fit(outcomeLabels(groups, { id: "istar", ...istar.defaults }));
    await outcomes.fit(outcomeLabels(groups, { id: "prime", ...prime.defaults }));
  }
  expect(pairAccuracy(await sums(pairs, "policy"))).toBeGreaterThan(0.7);
  expect(pairAccuracy(await sums(outcomes, "start"))).toBeGreaterThan(0.7);
  pairs.dispose();
  outcomes.dispose();
}, 240_000);

test("the reward model tells held-out successes from failures", async () => {
  const { defaults } = REWARD_SOURCES.learned;
  const model = createRewardModel(shop.parts, { ...settingsOf(defaults), centreCoefficient: defaults.centreCoefficient });
  const ends = async (): Promise<number[][]> => (await model.score(heldOut.groups)).map((members) => members.map(({ modelScores }) => modelScores.at(-1) ?? 0));
  expect(pairAccuracy(await ends())).toBe(0.5);
  for (const { groups } of batches) await model.fit(verdictLabels(groups, "success"));
  const scores = await ends();
  expect(pairAccuracy(scores)).toBeGreaterThan(0.7);
  // Centred: successes lie above 0, failures below.
  expect(Math.abs(mean(scores.flat()))).toBeLessThan(1);
  model.dispose();
}, 120_000);
