import { beforeAll, describe, expect, test } from "vitest";
import { marksOf, recordedTrajectories, type Evidence } from "#run/evidence.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import type { GroupRecord, RunEvent } from "#run/run-event.ts";
import { decodeEvidence, encodeEvidence } from "#share/evidence-codec.ts";
import type { GroupEntry } from "#store/run-state.ts";
import { wholeGroup } from "#store/whole-group.ts";
import { withArena } from "#trainer/arena.ts";
import { replayRecorded } from "#trainer/replay.ts";
import { formulaOf } from "#ui/inspector/formulas/formula-of.ts";
import { nameIn } from "#ui/format.ts";
import { codeRunner } from "../../../src/cli/code-runner.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { eventsOn, SMALL_RUN } from "../trainer/runs.ts";

type GroupEvent = Extract<RunEvent, { type: "group" }>;

const small = (preset: RunConfig, changes: Partial<RunConfig["algorithm"]> = {}): RunConfig => ({
  ...preset, seed: 5, updates: 2, from: "blank",
  algorithm: { ...preset.algorithm, groupSize: 4, groupsPerUpdate: 4, minibatches: 1, ...changes },
  policy: { ...preset.policy, layers: 1, width: 32 }, evaluation: { every: 2, tasks: 2, trials: 1 },
});

function evidenceOf(events: readonly RunEvent[], at: GroupEvent, count = 8): Evidence {
  const marks = marksOf(events);
  if (marks === null) throw new Error("the run has no update");
  return { ...marks, trajectories: recordedTrajectories(at.update, at.group, at.group.credits, null, count) };
}

const isGroup = (event: RunEvent): event is GroupEvent => event.type === "group";
/** What a link must bring back of a group to the letter: all but what only the policy knew, and what is rounded. */
const exactly = ({ taskId, first, informative, members, credits }: GroupRecord) => ({
  taskId, first, informative,
  credits: credits.map(({ credits: _credits, ...row }) => row),
  members: members.map(({ reward: _paid, sequences, turns, ...member }) => ({
    ...member,
    sequences: sequences.map((tokens) => tokens.map(({ word, sampled, alternatives }) => ({ word, sampled, isChoice: alternatives !== undefined }))),
    turns: turns.map(({ credit: _credit, reward: _reward, ...turn }) => turn),
  })),
});
const numbers = ({ members, credits }: GroupRecord) => ({
  logprobs: members.flatMap(({ sequences }) => sequences.flat().map(({ logprob }) => logprob)),
  paid: [...members.flatMap(({ reward, turns }) => [reward, ...turns.flatMap((turn) => [turn.credit, turn.reward])]), ...credits.flatMap((row) => row.credits.flat())],
});
const farthest = (a: readonly number[], b: readonly number[]): number => Math.max(0, ...a.map((value, index) => Math.abs(value - (b[index] ?? Number.NaN))));

const CASES: readonly (readonly [string, RunConfig])[] = [
  ["refund desk", SMALL_RUN],
  ["refund desk, unconstrained, wording varied", { ...small(PRESETS["refund-desk"]), harness: { ...PRESETS["refund-desk"].harness, constrained: false, varyWording: true } }],
  ["refund desk with dynamic sampling", { ...small(PRESETS["refund-desk"], { resampleRounds: 10, groupsPerUpdate: 1, groupSize: 16 }), updates: 4 }],
  ["sokoban", small(PRESETS.sokoban)],
  ["js sandbox", small(PRESETS["js-sandbox"])],
];

describe("trajectories of a link", () => {
  test.each(CASES)("%s: what was recorded is played again from the seed and the sampled words, and is the same", async (_, config) => {
    const services = { codeRunner: codeRunner() };
    const events = await eventsOn(await wasmExecutor("simd128"), config, undefined, services);
    expect(events.filter(isGroup).some(({ group }) => group.redrawn !== undefined)).toBe(config.algorithm.resampleRounds > 0);
    for (const at of events.filter(isGroup)) {
      const evidence = evidenceOf(events, at);
      const text = encodeEvidence(config, evidence);
      const read = decodeEvidence(config, text);
      expect(read.trajectories).not.toBeNull();
      if (read.trajectories === null) continue;
      const { trajectories } = read;
      const again = await withArena(config, (arena) => replayRecorded(arena, { config, recorded: trajectories }), services);
      const { members } = at.group;
      const kept = trajectories.members.map(({ member }) => member);
      const record = { ...at.group, members: kept.flatMap((member) => members.slice(member, member + 1)), credits: at.group.credits.map((row) => ({ ...row, credits: kept.map((member) => row.credits[member] ?? []) })) };
      expect(exactly(again)).toEqual(exactly(record));
      expect(farthest(numbers(again).logprobs, numbers(record).logprobs)).toBeLessThanOrEqual(1 / 128 + 1e-6);
      expect(farthest(numbers(again).paid, numbers(record).paid)).toBeLessThanOrEqual(0.0025);
    }
  });
});

/** What a page that opens the link makes of it. */
async function opened(config: RunConfig, evidence: Evidence): Promise<GroupEntry> {
  const { trajectories } = decodeEvidence(config, encodeEvidence(config, evidence));
  if (trajectories === null) throw new Error("there is no trajectory in it");
  const group = await withArena(config, (arena) => replayRecorded(arena, { config, recorded: trajectories }));
  return { update: trajectories.update, group, linked: { config, assessments: [], members: trajectories.members.map(({ member }) => member), rewards: trajectories.rewards ?? null } };
}

const derived = (entry: GroupEntry) =>
  entry.group.credits.flatMap((row) => entry.group.members.flatMap(({ turns }, member) => turns.map((_, turn) => ({
    row, paid: row.credits[member]?.[turn] ?? Number.NaN,
    derivation: formulaOf({ config: row.config, group: entry.group, whole: wholeGroup(entry), at: { member, turn }, row: { ...row, cost: null, fitted: null, basis: null }, truth: null }),
  }))));

describe("some trajectories of a group", () => {
  const config: RunConfig = { ...small(PRESETS["refund-desk"], { groupSize: 8 }), updates: 4 };
  let events: readonly RunEvent[];
  beforeAll(async () => {
    events = await eventsOn(await wasmExecutor("simd128"), config);
  });
  const groups = () => events.filter(isGroup);

  test("bring the rewards of all of it, their letters, and whether there was anything to compare", async () => {
    expect(groups().some(({ group }) => group.informative)).toBe(true);
    for (const at of groups()) {
      const evidence = evidenceOf(events, at, 1);
      const entry = await opened(config, evidence);
      expect(wholeGroup(entry).rewards).toEqual(at.group.members.map(({ reward }) => expect.closeTo(reward, 5)));
      expect(entry.group.informative).toBe(at.group.informative);
      expect(nameIn(entry, 0)).toBe("ABCDEFGH"[evidence.trajectories?.members[0]?.member ?? 0]);
    }
  });

  test.each([1, 4])("%i of 8: a formula is filled in over the whole group, or not at all", async (count) => {
    for (const at of groups()) {
      const all = derived(await opened(config, evidenceOf(events, at, count)));
      expect(new Set(all.map(({ row }) => row.id)).size).toBeGreaterThan(1);
      for (const { row, derivation, paid } of all) {
        if (row.id === "flat" || row.id === "leave-one-out") {
          expect(derivation?.result).toBeCloseTo(paid, 2.9);
          expect(derivation?.compared?.peers).toHaveLength(8);
          expect(derivation?.compared?.peers.filter(({ isSelf }) => isSelf)).toHaveLength(1);
        } else if (derivation !== null) {
          expect(derivation).toMatchObject({ result: null, compared: null });
          expect(derivation.note).toContain(`need all 8 trajectories of the group; ${count} travel`);
        }
      }
    }
  });

  test("where all of it came, turns are compared too", async () => {
    const [at] = groups().filter(({ group }) => group.informative);
    if (at === undefined) throw new Error("no group had signal");
    const turnGroups = derived(await opened(config, evidenceOf(events, at))).filter(({ row }) => row.id === "gigpo");
    expect(turnGroups.length).toBeGreaterThan(0);
    for (const { derivation, paid } of turnGroups) expect(Math.abs((derivation?.result ?? Number.NaN) - paid)).toBeLessThan(0.02);
  });

  test("a link from before rewards travelled is not filled in, and is not called equal", async () => {
    const [at] = groups().filter(({ group }) => group.informative);
    const before = at === undefined ? null : evidenceOf(events, at, 1);
    if (before?.trajectories === null || before === null) throw new Error("no group had signal");
    const { rewards: _, ...trajectories } = before.trajectories;
    const entry = await opened(config, { ...before, trajectories });
    expect(wholeGroup(entry)).toMatchObject({ size: 8, rewards: null });
    expect(entry.group.informative).toBe(true);
    for (const { derivation } of derived(entry).filter(({ row }) => row.id === "flat")) expect(derivation).toMatchObject({ result: null, compared: null, note: "Its numbers need all 8 trajectories of the group; 1 travel with the link." });
  });

  test("rewards that are not those of such a group, or not what its turns were paid, are refused", async () => {
    const [at] = groups();
    const right = at === undefined ? null : evidenceOf(events, at, 2);
    if (right === null || right.trajectories === null) throw new Error("there is no group");
    const { trajectories } = right;
    const rewards = trajectories.rewards ?? [];
    await expect(opened(config, { ...right, trajectories: { ...trajectories, rewards: rewards.slice(1) } })).rejects.toThrow("rewards of 7 trajectories; the run's groups have 8");
    await expect(opened(config, { ...right, trajectories: { ...trajectories, rewards: rewards.map((reward) => 1 - (reward ?? 0)) } })).rejects.toThrow(/by its turns and .* in its group/);
  });
});
