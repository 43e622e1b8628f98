import * as v from "valibot";
import { REWARD_SOURCES } from "#algorithms/rewards/registry.ts";
import { ARITHMETICS } from "#core/policy.ts";
import type { Json } from "#core/trajectory.ts";
import { parseRunConfig, runConfigSchema } from "#run/run-config.ts";
import type { CreditRow } from "#run/assessment.ts";
import type { EvaluationReport, GroupRecord, MemberRecord, RunEvent, TokenRecord, TurnRecord, UpdateMetrics } from "#run/run-event.ts";
import type { RunFileHeader } from "./run-file.ts";

/**
 * What each line of a run file may be. Every text and list has a greatest length and every number is finite, so that nothing behind these
 * schemas needs to ask; how the parts of a line belong together is checked in `run-file-checks.ts`.
 */

const word = v.pipe(v.string(), v.maxLength(200));
const text = v.pipe(v.string(), v.maxLength(4_000));
const number = v.pipe(v.number(), v.finite());
const count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER));
const updateNumber = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(5_000));
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const orNull = v.nullable(number);
/** Depth, keys and numbers were checked as the line was read. */
const json = v.custom<Json>((value) => value !== undefined);
const shares = v.record(word, share);
const config = v.pipe(v.unknown(), v.transform(parseRunConfig));
const arithmetic = v.picklist(ARITHMETICS);

const observation = v.strictObject({ kind: word, content: json });
const action = v.variant("kind", [
  v.strictObject({ kind: v.literal("tool"), name: word, args: v.record(word, json) }),
  v.strictObject({ kind: v.literal("reply"), text }),
  v.strictObject({ kind: v.literal("malformed"), raw: text, reason: word }),
]);
const token: v.GenericSchema<unknown, TokenRecord> = v.strictObject({
  word, sampled: v.boolean(), logprob: number,
  alternatives: v.exactOptional(v.pipe(v.array(v.strictObject({ word, logprob: number })), v.maxLength(64))),
});
const turn: v.GenericSchema<unknown, TurnRecord & { readonly sequence: number }> = v.strictObject({
  sequence: count, start: count, end: count, action, observation, events: v.pipe(v.array(word), v.maxLength(64)), credit: number, reward: number, anchorKey: text, stateAfter: json,
});
const member: v.GenericSchema<unknown, MemberRecord> = v.strictObject({
  reward: number, success: v.boolean(), ending: v.picklist(["terminated", "truncated", "failed"]), checks: v.record(word, v.boolean()), monitors: v.pipe(v.array(word), v.maxLength(64)),
  stateBefore: json, sequences: v.pipe(v.array(v.pipe(v.array(token), v.maxLength(256))), v.maxLength(256)), turns: v.pipe(v.array(turn), v.maxLength(256)),
});
const creditRow: v.GenericSchema<unknown, CreditRow> = v.pipe(
  v.strictObject({
    id: word,
    config: runConfigSchema.entries.algorithm.entries.credit,
    reward: v.picklist(Object.keys(REWARD_SOURCES) as (keyof typeof REWARD_SOURCES)[]),
    credits: v.pipe(v.array(v.pipe(v.array(number), v.maxLength(256))), v.maxLength(64)),
    summed: v.boolean(),
  }),
  v.check(({ id, config: { id: configured } }) => id === configured, "Invalid id: it is not that of its settings"),
  v.transform((row) => ({ ...row, id: row.config.id })),
);
const group: v.GenericSchema<unknown, GroupRecord> = v.strictObject({
  groupId: word, taskId: v.pipe(v.string(), v.maxLength(20_000)), first: observation, members: v.pipe(v.array(member), v.minLength(1), v.maxLength(64)), informative: v.boolean(),
  credits: v.pipe(v.array(creditRow), v.maxLength(32)), redrawn: v.exactOptional(v.strictObject({ round: count, index: count })),
});
const metrics: v.GenericSchema<unknown, UpdateMetrics> = v.strictObject({
  reward: number, success: share, trajectories: count, tokens: count, sampledTokens: count, failed: count, turns: number, errors: number, truncatedShare: share,
  allZeroShare: share, noSignalShare: share, rewardSpread: number, loss: orNull, gradNorm: orNull, clipFraction: orNull, kl: orNull, entropy: orNull, learningRate: number,
  extraSteps: count, extraTokens: count,
});
const curve = v.pipe(v.array(share), v.maxLength(8));
const band = v.pipe(v.array(v.strictTuple([share, share])), v.maxLength(8));
const report: v.GenericSchema<unknown, EvaluationReport> = v.strictObject({
  split: v.picklist(["train", "heldout", "shifted"]), tasks: v.pipe(count, v.minValue(1), v.maxValue(1_024)), trials: v.pipe(count, v.minValue(1), v.maxValue(32)),
  successes: v.pipe(v.array(count), v.maxLength(1_024)), passHatK: curve, passAtK: curve, passHatKInterval: band, passAtKInterval: band, greedy: v.nullable(share),
  checks: shares, monitors: shares, meanTurns: number, failed: count,
});
const seconds = v.strictObject({ seconds: number });
const mark = v.strictObject({ hash: v.pipe(count, v.maxValue(0xffff)), drift: number });
const detail = v.record(word, v.union([text, number, v.boolean()]));

/** One to each kind of event. */
const EVENTS = {
  "run-started": v.strictObject({ type: v.literal("run-started"), version: v.literal(1), config, arithmetic, parameters: count, vocabulary: count, fingerprint: word }),
  "settings-changed": v.strictObject({ type: v.literal("settings-changed"), update: updateNumber, config }),
  group: v.strictObject({ type: v.literal("group"), update: updateNumber, group }),
  update: v.strictObject({ type: v.literal("update"), update: updateNumber, metrics, mark: v.exactOptional(mark), timing: v.strictObject({ seconds: number, rollout: number, learn: number }) }),
  evaluation: v.strictObject({ type: v.literal("evaluation"), update: updateNumber, subject: v.picklist(["current", "base", "prompted"]), report, timing: seconds }),
  checkpoint: v.strictObject({ type: v.literal("checkpoint"), update: updateNumber, fingerprint: word }),
  "device-lost": v.strictObject({ type: v.literal("device-lost"), update: updateNumber, message: text }),
  "run-failed": v.strictObject({ type: v.literal("run-failed"), update: updateNumber, error: v.strictObject({ code: word, message: text, detail }) }),
  "run-finished": v.strictObject({ type: v.literal("run-finished"), updates: updateNumber, trajectories: count, tokens: count, heldout: report, shifted: report, timing: seconds }),
} as const satisfies Record<RunEvent["type"], v.GenericSchema>;
export const eventSchema: v.GenericSchema<unknown, RunEvent> = v.variant("type", Object.values(EVENTS));

/** Events of a run, at most: one group, update, checkpoint and evaluation for each of 5,000 updates, and some. */
const MAX_EVENTS = 25_000;
const events = v.pipe(count, v.maxValue(MAX_EVENTS));
export const headerSchema: v.GenericSchema<unknown, RunFileHeader> = v.variant("version", [
  v.strictObject({ format: v.literal("turnwise-run"), version: v.literal(1), events }),
  v.strictObject({ format: v.literal("turnwise-run"), version: v.literal(2), events, title: v.pipe(v.string(), v.maxLength(120)), note: v.pipe(v.string(), v.maxLength(2_000)), hasSnapshot: v.boolean() }),
]);

/** Numbers of a policy or network, at most: four times what the page's largest policy has. */
const packedNumbers = v.pipe(v.string(), v.maxLength(24_000_000));
const packedState = v.strictObject({ weights: packedNumbers, first: packedNumbers, second: packedNumbers, step: count });
export const packedSnapshotSchema = v.strictObject({
  config, arithmetic, update: updateNumber, trajectories: count, tokens: count, policy: packedState,
  networks: v.exactOptional(v.strictObject({ critic: v.exactOptional(packedState), implicit: v.exactOptional(packedState), rewarding: v.exactOptional(packedState) })),
});
