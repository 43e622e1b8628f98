import { describe, expect, test } from "vitest";
import { marksOf, recordedTrajectories, type Evidence } from "#run/evidence.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import type { GroupRecord, RunEvent } from "#run/run-event.ts";
import { decodeEvidence, encodeEvidence } from "#share/evidence-codec.ts";
import { withArena } from "#trainer/arena.ts";
import { replayRecorded } from "#trainer/replay.ts";
import { codeRunner } from "../../../src/cli/code-runner.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { eventsOn, SMALL_RUN } from "../trainer/runs.ts";

type GroupEvent = Extract<RunEvent, { type: "group" }>;

const small = (preset: RunConfig, changes: Partial<RunConfig["algorithm"]> = {}): RunConfig => ({
  ...preset, seed: 5, updates: 2, from: "blank",
  algorithm: { ...preset.algorithm, groupSize: 4, groupsPerUpdate: 4, minibatches: 1, ...changes },
  policy: { ...preset.policy, layers: 1, width: 32 }, evaluation: { every: 2, tasks: 2, trials: 1 },
});

function evidenceOf(events: readonly RunEvent[], at: GroupEvent): Evidence {
  const marks = marksOf(events);
  if (marks === null) throw new Error("the run has no update");
  return { ...marks, trajectories: recordedTrajectories(at.update, at.group, at.group.credits, null, 8) };
}

const isGroup = (event: RunEvent): event is GroupEvent => event.type === "group";
/** What a link must bring back of a group to the letter: all but what only the policy knew, and what is rounded. */
const exactly = ({ taskId, first, members, credits }: GroupRecord) => ({
  taskId, first,
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
