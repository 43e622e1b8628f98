import { beforeAll, describe, expect, test } from "vitest";
import { evaluateObjective } from "#algorithms/objectives/implementations.ts";
import { makeMinibatches } from "#algorithms/batch.ts";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import { PolicyError } from "#core/errors.ts";
import type { Executor } from "#engine/executor.ts";
import type { Assessed, AssessRequest, CreditId } from "#run/assessment.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { withArena } from "#trainer/arena.ts";
import { createLaboratory, type Effort, type Laboratory } from "#trainer/laboratory.ts";
import type { SampledBatch } from "#trainer/laboratory/batches.ts";
import { compareSchemes } from "#trainer/laboratory/compare.ts";
import { creditGradients, dot } from "#trainer/laboratory/gradient.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { RunStopped } from "#trainer/runtime.ts";
import { train } from "#trainer/train.ts";
import { checkpointFor } from "../../../src/cli/host.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { digest, eventsOn, SMALL_RUN } from "./runs.ts";

type Sampled = Pick<SampledBatch<unknown, unknown>, "groups" | "credits">;

const SCHEMES = Object.keys(CREDIT_ASSIGNERS) as readonly CreditId[];
const open = (): Promise<void> => Promise.resolve();
const nothing = (): void => {};
const asked = (groupId: string, schemes: AssessRequest["schemes"] = [], given: AssessRequest["given"] = "history"): AssessRequest =>
  ({ source: { kind: "run" }, groupId, given, schemes });

/** Little work: what is measured is as wide as it says, and adds up all the same. */
const QUICK = { worlds: 8, maxNodes: 60, maxMass: 0.1, branchMass: 0.5, branchNodes: 60 };
const EFFORT: Effort = { full: QUICK, glance: { ...QUICK, maxNodes: 0 }, practice: 12 };

/** Drives a run with a laboratory beside it; `at` is called after each event. */
async function run(
  config: RunConfig, from: "base" | "blank", at: (event: RunEvent, laboratory: Laboratory, newest: Sampled) => Promise<void>,
): Promise<readonly RunEvent[]> {
  const executor = await wasmExecutor("simd128");
  const checkpoint = from === "base" ? await checkpointFor("base", config.preset) : undefined;
  return withArena(config, async (arena) => {
    const policy = openPolicy(executor, config, arena, checkpoint);
    const laboratory = createLaboratory({ config, arena, executor, effort: EFFORT });
    let newest: Sampled = { groups: [], credits: [] };
    const events: RunEvent[] = [];
    const watch: typeof laboratory.keep = (batch) => {
      newest = batch;
      laboratory.keep(batch);
    };
    for await (const event of train(config, { arena, policy, now: () => 0, gate: open, watch })) {
      events.push(event);
      await at(event, laboratory, newest);
    }
    laboratory.dispose();
    policy.dispose();
    return events;
  });
}

test("a run's events are the same with and without what is asked beside it", async () => {
  const executor = await wasmExecutor("simd128");
  const plain = await eventsOn(executor, SMALL_RUN);
  let questions = 0;
  const watched = await run(SMALL_RUN, "blank", async (event, laboratory) => {
    if (event.type === "update") expect(await laboratory.glance(open)).not.toBeNull();
    if (event.type !== "group") return;
    const { groupId, members } = event.group;
    await laboratory.assess(asked(groupId, ["truth", "critic", "istar", "branching"]), open, nothing);
    await laboratory.forkOptions({ source: { kind: "run" }, groupId, member: 0, turn: 0 }, open);
    const action = members[0]?.turns[0]?.action;
    if (action) await laboratory.fork({ source: { kind: "run" }, groupId, member: 0, turn: 0, edit: { kind: "action", action }, given: "state", count: 8 }, open);
    questions += 1;
  });
  expect(questions).toBe(SMALL_RUN.updates);
  expect(digest(watched)).toEqual(digest(plain));
}, 120_000);

describe("from the base policy", () => {
  const config: RunConfig = {
    ...PRESETS["refund-desk"], updates: 8, evaluation: { every: 8, tasks: 2, trials: 1 },
    algorithm: { ...PRESETS["refund-desk"].algorithm, groupSize: 4, groupsPerUpdate: 4, minibatches: 1, learningRate: 0.005 },
  };
  /** Asked as the first group came, and again two updates later. */
  let [first, later]: (Assessed | undefined)[] = [];
  let forgotten: unknown;
  const parts: Assessed[] = [];
  let glances: (Assessed | null)[] = [];
  let events: readonly RunEvent[] = [];
  const shown = (): Extract<RunEvent, { type: "group" }> => events.find((event) => event.type === "group") ?? (() => { throw new Error("no group"); })();

  beforeAll(async () => {
    let groupId = "";
    events = await run(config, "base", async (event, laboratory) => {
      if (event.type === "group" && event.update === 1) {
        ({ groupId } = event.group);
        first = await laboratory.assess(asked(groupId, ["truth", "process", "gigpo", "critic", "istar", "prime", "branching"]), open, (part) => void parts.push(part));
      }
      // Another group in between, of other weights.
      if (event.type === "update" && event.update === 2) await laboratory.glance(open);
      if (event.type === "group" && event.update === 3) later = await laboratory.assess(asked(groupId), open, nothing);
      if (event.type === "update" && event.update === 3) glances = [await laboratory.glance(open), await laboratory.glance(open)];
      if (event.type === "group" && event.update === 8) forgotten = await laboratory.assess(asked(groupId), open, nothing).catch((error: unknown) => error);
    });
  }, 120_000);

  test("truth adds up to the outcome, and is that of the policy that sampled, however much was learnt since", () => {
    const { truth } = first?.assessment ?? {};
    expect(truth).toMatchObject({ given: "history", form: "full" });
    for (const [index, member] of (truth?.members ?? []).entries()) {
      const sum = (member?.turns ?? []).reduce((total, { skill, luck }) => total + skill + luck, member?.start ?? 0);
      expect(sum).toBeCloseTo(shown().group.members[index]?.success ? 1 : 0, 5);
    }
    expect(later?.assessment.truth).toEqual(truth);
  });

  test("rows: the scheme trained with as the run has it, truth as skill, networks said to be fitted, costs counted", () => {
    const { schemes = [], truth } = first?.assessment ?? {};
    const row = (id: string) => schemes.find((scheme) => scheme.id === id);
    expect(schemes.map(({ id }) => id).toSorted()).toEqual(["branching", "critic", "flat", "gigpo", "istar", "prime", "process", "truth"]);
    expect(row("flat")?.credits).toEqual(shown().group.members.map(({ turns }) => turns.map(({ credit }) => credit)));
    expect(row("flat")).toMatchObject({ config: config.algorithm.credit, cost: { steps: 0, tokens: 0 }, fitted: null, basis: null });
    for (const free of shown().group.credits) expect(row(free.id)).toMatchObject({ credits: free.credits });
    expect(row("truth")?.credits).toEqual(truth?.members.map((member) => member?.turns.map(({ skill }) => skill)));
    expect(row("truth")?.cost.tokens).toBeGreaterThan(100);
    expect(row("critic")?.fitted).toMatch(/^\d+ trajectories/);
    expect(row("critic")?.basis?.kind).toBe("values");
    expect(row("istar")?.basis?.kind).toBe("log-ratio");
    expect(row("prime")?.summed).toBe(true);
    expect(row("branching")?.basis?.kind).toBe("continuations");
    expect(row("branching")?.cost.steps).toBeGreaterThan(0);
    // The log ratio is that of scorer and sampling policy: what was fitted has moved away from where it started.
    const basis = row("istar")?.basis;
    if (basis?.kind !== "log-ratio") throw new Error("no log ratio");
    expect(basis.scorer.flat().some((value, index) => Math.abs(value - (basis.reference.flat()[index] ?? 0)) > 1e-4)).toBe(true);
  });

  test("parts come before the slow rows: truth and what is free at once", () => {
    expect(parts[0]?.assessment.truth).toEqual(first?.assessment.truth);
    expect(parts[0]?.assessment.schemes.map(({ id }) => id)).toEqual(expect.arrayContaining(["flat", "truth", "process", "gigpo"]));
    expect(parts[0]?.assessment.schemes.map(({ id }) => id)).not.toContain("critic");
    expect(parts).toHaveLength(3);
  });

  test("a glance is at the group shown, once, in the quick form", () => {
    const group = events.find((event) => event.type === "group" && event.update === 3);
    expect(glances[0]?.assessment).toMatchObject({ update: 3, groupId: group?.type === "group" ? group.group.groupId : "", truth: { form: "quick", given: "history" } });
    expect(glances[0]?.assessment.schemes.map(({ id }) => id)).toEqual(["flat"]);
    expect(glances[0]?.meters.gradientCosine).toEqual(expect.any(Number));
    expect(glances[1]).toBeNull();
  });

  test("only the newest batches are held, and who asks for another is told which", () => {
    expect(forgotten).toBeInstanceOf(PolicyError);
    expect(String(forgotten)).toContain("the trainer no longer holds the group of update 1; it still holds those from update 3 on");
  });
});

test("the gate ends an assessment, and the next one starts over", async () => {
  const config: RunConfig = { ...PRESETS["refund-desk"], updates: 1, evaluation: { every: 8, tasks: 1, trials: 1 }, algorithm: { ...PRESETS["refund-desk"].algorithm, groupSize: 4, groupsPerUpdate: 4, minibatches: 1 } };
  await run(config, "base", async (event, laboratory) => {
    if (event.type !== "group") return;
    let gates = 0;
    const closing = (): Promise<void> => ((gates += 1) > 20 ? Promise.reject(new RunStopped()) : Promise.resolve());
    await expect(laboratory.assess(asked(event.group.groupId), closing, nothing)).rejects.toThrow(RunStopped);
    expect(gates).toBe(21);
    const again = await laboratory.assess(asked(event.group.groupId), open, nothing);
    expect(again).toEqual(await laboratory.assess(asked(event.group.groupId), open, nothing));
  });
}, 60_000);

test("gradients are those of the clipped objective at the weights that sampled, add up over groups, and follow the credit", async () => {
  const config: RunConfig = { ...PRESETS["refund-desk"], updates: 1, evaluation: { every: 8, tasks: 1, trials: 1 }, algorithm: { ...PRESETS["refund-desk"].algorithm, groupSize: 4, groupsPerUpdate: 3, minibatches: 1 } };
  const executor: Executor = await wasmExecutor("simd128");
  const checkpoint = await checkpointFor("base", config.preset);
  let batch: Sampled = { groups: [], credits: [] };
  await run(config, "base", async (event, _laboratory, newest) => {
    if (event.type === "group") batch = newest;
  });
  await withArena(config, async (arena) => {
    const policy = openPolicy(executor, config, arena, checkpoint);
    const { groups, credits } = batch;
    const sums: (Float32Array | null)[] = [];
    for (const [index, group] of groups.entries()) sums.push(...await creditGradients(policy, group, [credits[index] ?? []]));
    const { batches: [whole] } = makeMinibatches(groups, credits, 1);
    if (!whole) throw new Error("no signal");
    const pass = await policy.forward(whole);
    const grads = evaluateObjective(config.algorithm, whole, pass.stats);
    await pass.backward(grads);
    const objective = await policy.gradient();
    pass.dispose();
    policy.resetOptimizer();
    const tokens = whole.mask.reduce((sum, one) => sum + one, 0);
    const total = objective.map((_, at) => sums.reduce((sum, gradient) => sum + (gradient?.[at] ?? 0), 0));
    const scale = Math.sqrt(dot(objective, objective));
    expect(scale).toBeGreaterThan(0);
    // The objective is minimised and a mean over tokens; credit's gradient points uphill and is a sum.
    for (const [at, slope] of objective.entries()) expect(Math.abs(-slope * tokens - (total[at] ?? 0))).toBeLessThan(1e-3 * scale * tokens);
    expect(dot(objective, total)).toBeLessThan(0);
    const paid = sums.findIndex((gradient) => gradient !== null);
    const [group, own] = [groups[paid], credits[paid] ?? []];
    if (!group) throw new Error("no group");
    const doubled = own.map((credit) => ("perTurn" in credit ? { perTurn: credit.perTurn.map((value) => -2 * value) } : credit));
    const zero = own.map((credit) => ("perTurn" in credit ? { perTurn: credit.perTurn.map(() => 0) } : credit));
    const [once, minusTwice, none] = await creditGradients(policy, group, [own, doubled, zero]);
    if (!once || !minusTwice) throw new Error("no gradient");
    expect(dot(once, minusTwice) / dot(once, once)).toBeCloseTo(-2, 4);
    expect(dot(minusTwice, minusTwice) / dot(once, once)).toBeCloseTo(4, 4);
    expect(none).toBeNull();
    policy.dispose();
  });
}, 60_000);

test("schemes held against the truth: every one of them, truth in full agreement with itself, the same each time", async () => {
  const { algorithm } = PRESETS["refund-desk"];
  const config: RunConfig = { ...PRESETS["refund-desk"], algorithm: { ...algorithm, groupSize: 4 } };
  const checkpoint = await checkpointFor("base", config.preset);
  const compared = async () => {
    const executor = await wasmExecutor("simd128");
    return withArena(config, (arena) => compareSchemes({
      config, arena, executor, policy: openPolicy(executor, config, arena, checkpoint), groups: 6, seed: 3, schemes: SCHEMES, form: QUICK, practice: 6, gate: open, progress: nothing,
    }));
  };
  const { schemes, truth } = await compared();
  expect(schemes.map(({ id }) => id)).toEqual(SCHEMES);
  const [own, flat, random] = ["truth", "flat", "random"].map((id) => schemes.find((scheme) => scheme.id === id));
  expect(own?.correlation.value).toBeCloseTo(1, 9);
  expect(own?.signAgreement.value ?? 1).toBe(1);
  expect(own?.gradientCosine.value).toBeCloseTo(1, 6);
  expect(flat?.correlation.value).toBeGreaterThan(0);
  expect(Math.abs(random?.correlation.value ?? 1)).toBeLessThan(0.4);
  expect(truth).toMatchObject({ groups: 6, turns: expect.any(Number) });
  expect(truth.mixedGroups).toBeLessThanOrEqual(6);
  for (const { id, fitted, extraTokens } of schemes) {
    expect(fitted !== null, id).toBe(["critic", "bilevel", "istar", "prime"].includes(id));
    expect((extraTokens.value ?? 0) > 0, id).toBe(CREDIT_ASSIGNERS[id].needs.length > 0);
  }
  expect(await compared()).toEqual({ schemes, truth });
}, 120_000);
