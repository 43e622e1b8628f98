import { describe, expect, test } from "vitest";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import { createRng, drawIndex } from "#core/rng.ts";
import { ADAM } from "#engine/kernels/adamw/index.ts";
import { layoutOf } from "#engine/model.ts";
import { createReferenceExecutor } from "#engine/reference/reference-executor.ts";
import { createPolicy } from "#engine/policy-backend.ts";
import { PRESETS } from "#run/run-config.ts";
import type { Labelled, NetworkParts, PlayedGroup, SecondNetwork } from "#trainer/scorer.ts";
import { createCritic } from "#trainer/scorer/critic.ts";
import { createImplicitScorer } from "#trainer/scorer/implicit.ts";
import { createRewardModel } from "#trainer/scorer/reward-model.ts";
import { openNetworks } from "#trainer/scorer/open.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { alternating, slopes, TINY_DESK, workshop } from "./scorer-support.ts";

interface Kind {
  readonly valueHead: boolean;
  readonly maxGradNorm: number;
  readonly make: (parts: NetworkParts, settings: { readonly learningRate: number; readonly steps: number }) => SecondNetwork<object, never>;
  readonly labels: (groups: readonly PlayedGroup[]) => readonly PlayedGroup<Labelled<never>>[];
}
/** The kinds differ in what they are fitted to; what is tested here holds for all of them. */
const erased = (kind: object): Kind => kind as Kind;
const KINDS: Readonly<Record<string, Kind>> = {
  critic: erased({ valueHead: true, maxGradNorm: 1, make: createCritic, labels: slopes }),
  "implicit, iStar": erased({ valueHead: false, maxGradNorm: 10, labels: alternating, make: (parts: NetworkParts, settings: never) => createImplicitScorer(parts, settings, { kind: "istar", beta: 0.3, form: "default" }) }),
  "implicit, iStar as released": erased({ valueHead: false, maxGradNorm: 10, labels: alternating, make: (parts: NetworkParts, settings: never) => createImplicitScorer(parts, settings, { kind: "istar", beta: 0.3, form: "asReleased" }) }),
  "implicit, PRIME": erased({ valueHead: false, maxGradNorm: 10, labels: alternating, make: (parts: NetworkParts, settings: never) => createImplicitScorer(parts, settings, { kind: "prime", beta: 0.3 }) }),
  "reward model": erased({ valueHead: true, maxGradNorm: 1, labels: alternating, make: (parts: NetworkParts, settings: object) => createRewardModel(parts, { ...settings, centreCoefficient: 0.1 } as never) }),
};

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (_, part: unknown) => (ArrayBuffer.isView(part) ? [...(part as Float32Array)] : part)));

describe.each(Object.entries(KINDS))("second network: %s", (_, { valueHead, maxGradNorm, make, labels }) => {
  test("the gradient of a fit agrees with finite differences of its loss, tensor by tensor", async () => {
    const { parts, sample } = await workshop(createReferenceExecutor(), TINY_DESK);
    const { groups } = await sample("differences", "train", 2, 3);
    const labelled = labels(groups);
    const network = make(parts, { learningRate: 0, steps: 1 });
    const layout = layoutOf({ ...parts.model, valueHead });
    const rng = createRng(9);
    // Away from where it starts, where heads are zero and ratios are one.
    const padded = createPolicy(createReferenceExecutor(), { model: layout.config, automaton: parts.harness.automaton, maxGradNorm: 1, weightDecay: 0 }, createRng(4));
    const other = await padded.snapshot();
    const weights = Float32Array.from(other, (value, index) => (index < parts.start.length ? (parts.start[index] ?? 0) + 0.1 * value : 0.3 * (rng.next() - 0.5)));
    const still = new Float32Array(weights.length);
    const lossAt = async (at: Float32Array<ArrayBuffer>) => {
      network.importState({ weights: at, first: still.slice(), second: still.slice(), step: 0 });
      return network.fit(labelled);
    };
    const { loss, gradNorm } = await lossAt(weights);
    expect(loss).toBeGreaterThan(0.01);
    const shortened = Math.min(1, maxGradNorm / (gradNorm ?? 1));
    const gradient = (await network.exportState()).first.map((moment) => moment / ((1 - ADAM.BETA1) * shortened));
    let offset = 0;
    let checked = 0;
    for (const { name, size } of layout.tensors) {
      const chosen = new Set(Array.from({ length: 24 }, () => drawIndex(rng, size)));
      const sign = (index: number): number => (chosen.has(index) ? Math.sign(gradient[offset + index] ?? 0) : 0);
      const moved = async (step: number): Promise<number> => {
        const there = weights.slice();
        for (let index = 0; index < size; index += 1) there[offset + index] = (there[offset + index] ?? 0) + step * sign(index);
        return (await lossAt(there)).loss ?? NaN;
      };
      const analytic = Array.from({ length: size }, (__, index) => sign(index) * (gradient[offset + index] ?? 0)).reduce((sum, part) => sum + part, 0);
      const step = 1e-3;
      const numeric = ((await moved(step)) - (await moved(-step))) / (2 * step);
      if (Math.abs(analytic) > 2e-3) {
        checked += 1;
        expect(Math.abs(numeric - analytic), `${name}: ${numeric} against ${analytic}`).toBeLessThan(0.04 * Math.abs(analytic) + 5e-4);
      }
      offset += size;
    }
    expect(checked).toBeGreaterThan(layout.tensors.length / 2);
    network.dispose();
  }, 120_000);

  test("scores depend on the trajectory alone, are the same twice, and are those before the step", async () => {
    const { parts, sample } = await workshop(await wasmExecutor("simd128"), TINY_DESK);
    // More than one forward pass holds.
    const { groups } = await sample("invariance", "train", 12, 8);
    const run = async (steps: number) => {
      const network = make(parts, { learningRate: 0.003, steps });
      const first = await network.fit(labels(groups));
      const second = await network.fit(labels(groups));
      const scores = await network.score(groups);
      const alone = await network.score(groups.slice(3, 4));
      const reversed = await network.score(groups.toReversed());
      network.dispose();
      return { first, second, scores, alone, reversed };
    };
    const one = await run(1);
    expect(plain(await run(1))).toEqual(plain(one));
    expect(plain(one.alone[0])).toEqual(plain(one.scores[3]));
    expect(plain(one.reversed.toReversed())).toEqual(plain(one.scores));
    // Before the first step it is the policy: what it says then is not what it says after.
    expect(plain(one.second.before)).not.toEqual(plain(one.first.before));
    expect(plain(one.scores)).not.toEqual(plain(one.second.before));
    expect([one.first.steps, one.second.steps]).toEqual([1, 1]);
    const many = await run(3);
    expect(many.first.steps).toBe(3);
    expect(plain(many.first.before)).toEqual(plain(one.first.before));
  }, 60_000);

  test("goes on from an exported state as if it had never stopped, and learns nothing where no label is", async () => {
    const { parts, sample } = await workshop(await wasmExecutor("simd128"), TINY_DESK);
    const { groups } = await sample("state", "train", 4, 4);
    const [network, resumed] = [make(parts, { learningRate: 0.003, steps: 1 }), make(parts, { learningRate: 0.003, steps: 1 })];
    await network.fit(labels(groups));
    const state = structuredClone(await network.exportState());
    resumed.importState(state);
    expect(plain(await resumed.fit(labels(groups)))).toEqual(plain(await network.fit(labels(groups))));
    expect(await resumed.exportState()).toEqual(await network.exportState());
    const unlabelled = groups.map(({ members }) => ({ members: members.map((member) => ({ ...member, label: null })) }));
    const scores = plain(await network.score(groups));
    expect(plain(await network.fit(unlabelled))).toEqual({ loss: null, gradNorm: null, steps: 0, before: scores });
    const failed = labels(groups).map(({ members }) => ({ members: members.map((member) => ({ ...member, trajectory: { ...member.trajectory, ending: "failed" as const } })) }));
    expect((await network.fit(failed)).steps).toBe(0);
    expect(plain(await network.score(groups))).toEqual(scores);
    expect(() => network.importState({ ...state, weights: state.weights.slice(1) })).toThrow("the model has");
    network.dispose();
    resumed.dispose();
  }, 60_000);
});

const TINY_SOKOBAN = { ...PRESETS.sokoban, seed: 5, policy: { layers: 1, width: 32, context: 32, valueHead: false } };

describe("the critic's bootstrap", () => {
  test.each([["one sequence a trajectory", TINY_DESK], ["one sequence a turn", TINY_SOKOBAN]])("is the value before the turn that a truncated episode would have had next (%s)", async (_, config) => {
    const { parts, sample } = await workshop(await wasmExecutor("simd128"), config);
    const [cut, whole] = [await sample("bootstrap", "train", 8, 4, 3), await sample("bootstrap", "train", 8, 4, 8)];
    const critic = createCritic(parts, { learningRate: 0.01, steps: 1 });
    await critic.fit(slopes(whole.groups));
    const [short, long] = [await critic.score(cut.groups), await critic.score(whole.groups)];
    let compared = 0;
    for (const [group, { members }] of cut.groups.entries())
      for (const [index, { trajectory }] of members.entries()) {
        const [values, later] = [short[group]![index]!.values, long[group]![index]!.values];
        expect(values.length).toBe(trajectory.turns.length + 1);
        if (trajectory.ending === "terminated") expect(values.at(-1)).toBe(0);
        else if (whole.groups[group]!.members[index]!.trajectory.turns.length > 3) {
          compared += 1;
          expect([...values]).toEqual(Array.from(later.subarray(0, 4)));
          expect(values.at(-1)).not.toBe(0);
        }
      }
    expect(compared).toBeGreaterThan(5);
    critic.dispose();
  });

  test("is 0 behind an episode that ended by itself, and stands behind a full context too", async () => {
    const { parts, sample } = await workshop(await wasmExecutor("simd128"), { ...TINY_DESK, policy: { ...TINY_DESK.policy, context: 32 } });
    const { groups } = await sample("full", "train", 16, 4, 16);
    const critic = createCritic(parts, { learningRate: 0.01, steps: 1 });
    await critic.fit(slopes(groups));
    const values = (await critic.score(groups)).flat().map((scores) => [...scores.values]);
    const endings = groups.flatMap(({ members }) => members.map(({ trajectory }) => trajectory.ending));
    expect(values.flat().every(Number.isFinite)).toBe(true);
    expect(new Set(endings)).toEqual(new Set(["terminated", "truncated"]));
    for (const [index, ending] of endings.entries()) expect(values[index]!.at(-1) === 0).toBe(ending === "terminated");
    critic.dispose();
  });
});

describe("the networks of a run", () => {
  const withCredit = (id: "flat" | "critic" | "bilevel" | "istar" | "prime", valueHead = false) =>
    ({ ...TINY_DESK, policy: { ...TINY_DESK.policy, valueHead }, algorithm: { ...TINY_DESK.algorithm, credit: { id, ...CREDIT_ASSIGNERS[id].defaults } as never } });

  test("are those that its settings need, and none besides", async () => {
    const { parts } = await workshop(await wasmExecutor("simd128"), TINY_DESK);
    const kinds = (config: typeof TINY_DESK): string => {
      const networks = openNetworks(config, parts);
      networks.dispose();
      return (["critic", "implicit", "rewarding"] as const).filter((name) => networks[name] !== null).join();
    };
    expect([kinds(withCredit("flat")), kinds(withCredit("critic")), kinds(withCredit("critic", true)), kinds(withCredit("bilevel")), kinds(withCredit("istar")), kinds(withCredit("prime"))])
      .toEqual(["", "critic", "", "critic", "implicit", "implicit"]);
    const before = parts.executor.liveBuffers;
    openNetworks(withCredit("prime"), parts).dispose();
    expect(parts.executor.liveBuffers).toBe(before);
  });

  test("refuse a state that has another network", async () => {
    const { parts } = await workshop(await wasmExecutor("simd128"), TINY_DESK);
    const networks = openNetworks(withCredit("critic"), parts);
    expect(() => networks.importState({})).toThrow('has no second network "critic"; this run needs one');
    const state = (await networks.exportState()).critic!;
    expect(() => networks.importState({ critic: state, implicit: state })).toThrow('has a second network "implicit"; this run needs none');
    networks.dispose();
  });
});
