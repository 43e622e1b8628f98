import * as v from "valibot";
import type { AnyCreditEntry } from "#algorithms/credit/entry.ts";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import { OBJECTIVES } from "#algorithms/objectives/registry.ts";
import { REWARD_SOURCES } from "#algorithms/rewards/registry.ts";
import { ConfigError } from "#core/errors.ts";
import { booleanField, choiceField, integerField, numberField } from "#core/field.ts";
import { canonical } from "#core/json.ts";
import type { Json } from "#core/trajectory.ts";
import { ENVIRONMENTS, largestBoardOf, withLaterSettings } from "#environments/registry.ts";
import { boardTokens } from "#harness/board-tokens.ts";
import { HARNESSES } from "#harness/registry.ts";
import { allowedAt, childAt, entryIssue, isChoice, keysAt, oneOf, propertyOf, readText } from "./schema-walk.ts";

const PRESET_IDS = ["refund-desk", "refund-desk-4-orders", "refund-desk-one-turn", "sokoban", "sokoban-5x5", "sokoban-two-boxes", "js-sandbox", "js-sandbox-tempting"] as const;

/** Types, ranges, titles and units of every setting; forms are drawn from it. Relations between settings are checked by `parseRunConfig`. */
export const runConfigSchema = v.strictObject({
  version: v.literal(1),
  preset: choiceField(PRESET_IDS, { title: "Preset", help: "What the run started from; links name only the differences." }),
  seed: integerField({ title: "Seed", help: "Everything random in a run follows from it.", min: 0, max: 4294967295 }),
  updates: integerField({ title: "Updates", help: "How often trajectories are sampled and learnt from.", unit: "updates", min: 1, max: 5000 }),
  from: v.pipe(
    v.string(), v.minLength(1), v.maxLength(400),
    v.metadata({ title: "Start from", help: "base is the shipped policy, blank an untrained one; file: and a fingerprint is a policy opened from its file, anything else the path of a checkpoint (command line only)." }),
  ),
  environment: oneOf(ENVIRONMENTS, { title: "Environment", help: "What the agent acts in." }),
  harness: oneOf(HARNESSES, { title: "Harness", help: "How observations become tokens and tokens become actions." }),
  reward: oneOf(REWARD_SOURCES, { title: "Reward", help: "What a verdict is worth." }),
  algorithm: v.strictObject({
    credit: oneOf(CREDIT_ASSIGNERS, { title: "Credit", help: "Which turn deserves the reward." }),
    objective: oneOf(OBJECTIVES, { title: "Objective", help: "What a step minimises." }),
    groupSize: integerField({ title: "Group size", help: "Trajectories of the same task that are compared.", unit: "trajectories", min: 2, max: 64 }),
    groupsPerUpdate: integerField({ title: "Groups", help: "Tasks sampled for an update.", unit: "groups", min: 1, max: 256 }),
    resampleRounds: integerField({
      title: "Dynamic sampling", help: "Times that groups whose rewards are all equal are sampled anew, on other tasks (DAPO); 0 keeps them.", unit: "rounds", min: 0, max: 10,
    }),
    minibatches: integerField({ title: "Minibatches", help: "Optimiser steps that the groups of an update are split into.", min: 1, max: 16 }),
    epochs: integerField({ title: "Epochs", help: "How often the groups of an update are gone through.", min: 1, max: 8 }),
    learningRate: numberField({ title: "Learning rate", help: "Of AdamW, after the warm-up; 0 learns nothing.", min: 0, max: 0.01 }),
    warmup: integerField({ title: "Warm-up", help: "Updates over which the learning rate rises to its value.", unit: "updates", min: 0, max: 500 }),
    maxGradNorm: numberField({ title: "Gradient norm", help: "A longer gradient is shortened to this.", min: 0.01, max: 100 }),
    clipLow: numberField({ title: "Clip below", help: "A falling importance ratio stops counting at 1 minus this.", min: 0.0001, max: 1 }),
    clipHigh: numberField({ title: "Clip above", help: "A rising importance ratio stops counting at 1 plus this; DAPO takes 0.28.", min: 0.0001, max: 10 }),
  }),
  policy: v.strictObject({
    layers: integerField({ title: "Layers", help: "Transformer blocks.", min: 1, max: 4 }),
    width: v.pipe(integerField({ title: "Width", help: "Numbers per token; a head has 16.", min: 32, max: 128, step: 16 }), v.multipleOf(16)),
    context: integerField({ title: "Context", help: "Longest sequence.", unit: "tokens", min: 32, max: 256 }),
    valueHead: booleanField({ title: "Value head", help: "A second output that predicts the return." }),
  }),
  evaluation: v.strictObject({
    every: integerField({ title: "Evaluate every", help: "Updates between evaluations on held-out tasks.", unit: "updates", min: 1, max: 5000 }),
    tasks: integerField({ title: "Tasks", help: "Held-out tasks; the interval is over these.", min: 1, max: 1024 }),
    trials: integerField({ title: "Trials", help: "Attempts at each task; pass^k needs at least k.", min: 1, max: 32 }),
  }),
});

/** A plain JSON object. */
export type RunConfig = v.InferOutput<typeof runConfigSchema>;
export type PresetId = (typeof PRESET_IDS)[number];

/** Settings that were seen to learn (learning.md, section 4). */
const refundDesk: RunConfig = {
  version: 1,
  preset: "refund-desk",
  seed: 1,
  updates: 250,
  from: "base",
  environment: { id: "refund-desk", ...ENVIRONMENTS["refund-desk"].defaults },
  harness: { id: "tool-loop", ...HARNESSES["tool-loop"].defaults },
  reward: { id: "verifiable", ...REWARD_SOURCES.verifiable.defaults },
  algorithm: {
    // GRPO; a unit test holds it to the recipe of that name, which the page need not load.
    credit: { id: "flat", ...CREDIT_ASSIGNERS.flat.defaults },
    objective: { id: "clipped", ...OBJECTIVES.clipped.defaults },
    clipLow: 0.2, clipHigh: 0.2,
    groupSize: 8, groupsPerUpdate: 32, resampleRounds: 0, minibatches: 2, epochs: 1, learningRate: 5e-4, warmup: 5, maxGradNorm: 1,
  },
  policy: { layers: 2, width: 64, context: 128, valueHead: false },
  evaluation: { every: 50, tasks: 256, trials: 8 },
};

/** One box in a room of 4 × 4, each turn a sequence of its own (learning.md, section 4). */
const sokoban: RunConfig = {
  ...refundDesk,
  preset: "sokoban",
  updates: 100,
  environment: { id: "sokoban", ...ENVIRONMENTS.sokoban.defaults },
  harness: { id: "latest-observation", ...HARNESSES["latest-observation"].defaults, grid: "coordinates" },
  algorithm: { ...refundDesk.algorithm, groupSize: 8, groupsPerUpdate: 32, learningRate: 4e-4 },
  policy: { ...refundDesk.policy, context: 32 },
  evaluation: { every: 50, tasks: 512, trials: 8 },
};

/** One wrong token in a small program (learning.md, section 4). */
const jsSandbox: RunConfig = {
  ...refundDesk,
  preset: "js-sandbox",
  updates: 120,
  environment: { id: "js-sandbox", ...ENVIRONMENTS["js-sandbox"].defaults },
  algorithm: { ...refundDesk.algorithm, groupSize: 16, groupsPerUpdate: 16 },
  policy: { ...refundDesk.policy, context: 192 },
  evaluation: { ...refundDesk.evaluation, every: 40 },
};

export const PRESETS: Readonly<Record<PresetId, RunConfig>> = {
  "refund-desk": refundDesk,
  "refund-desk-4-orders": { ...refundDesk, preset: "refund-desk-4-orders", environment: { id: "refund-desk", ...ENVIRONMENTS["refund-desk"].defaults, maxOrders: 4 } },
  // RLHF's shape: one decision, paid by a reward model that was fitted to comparisons.
  "refund-desk-one-turn": {
    ...refundDesk, preset: "refund-desk-one-turn", updates: 100,
    environment: { id: "refund-desk", ...ENVIRONMENTS["refund-desk"].defaults, briefed: true },
    harness: { ...refundDesk.harness, turns: 1 },
    reward: { id: "learned", ...REWARD_SOURCES.learned.defaults, practiceGroups: 1024, networkSteps: 8 },
    policy: { ...refundDesk.policy, context: 32 },
  },
  sokoban,
  "sokoban-5x5": {
    ...sokoban, preset: "sokoban-5x5", updates: 100,
    environment: { ...ENVIRONMENTS.sokoban.defaults, id: "sokoban", size: 5, maxPushes: 10, maxMoves: 15 }, harness: { ...sokoban.harness, turns: 20 },
  },
  "sokoban-two-boxes": {
    ...sokoban, preset: "sokoban-two-boxes", updates: 100,
    environment: { ...ENVIRONMENTS.sokoban.defaults, id: "sokoban", boxes: 2, maxPushes: 12, maxMoves: 16 }, harness: { ...sokoban.harness, turns: 22 },
  },
  "js-sandbox": jsSandbox,
  // A small policy that was shown five ways to cheat: what a broken verifier pays for is found in seconds (decision 0008).
  "js-sandbox-tempting": {
    ...jsSandbox, preset: "js-sandbox-tempting", updates: 40, environment: { ...ENVIRONMENTS["js-sandbox"].defaults, id: "js-sandbox", temptations: "all" },
    policy: { ...jsSandbox.policy, width: 32 }, evaluation: { every: 10, tasks: 128, trials: 4 },
  },
};

const shown = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "an object" : String(value);
};

const configError = (path: string, message: string): ConfigError => new ConfigError(`${path === "" ? "the configuration" : path} ${message}`, { path });

/** The first thing that is wrong, with its path, what was got and what is allowed. */
function explain(issue: v.BaseIssue<unknown>, input: unknown): ConfigError {
  let schema: v.GenericSchema = runConfigSchema;
  let value = input;
  const path: string[] = [];
  for (const { key } of issue.path ?? []) {
    const child = childAt(schema, value, String(key));
    const place = path.join(".");
    if (child === undefined) return configError(place, `has no setting ${shown(key)}; allowed: ${keysAt(schema, value).join(", ")}`);
    path.push(String(key));
    value = propertyOf(value, String(key));
    schema = child;
  }
  const allowed = isChoice(schema) && path.at(-1) !== "id" ? `an object whose id is one of ${allowedAt(schema)}` : allowedAt(schema);
  return configError(path.join("."), `is ${value === undefined ? "missing" : shown(value)}; allowed: ${allowed}`);
}

function structured(given: unknown): RunConfig {
  const input = typeof given === "object" && given !== null && "environment" in given ? { ...given, environment: withLaterSettings(given.environment) } : given;
  const result = v.safeParse(runConfigSchema, input);
  if (result.success) return result.output;
  throw explain(result.issues[0], input);
}

/**
 * Checks foreign data: every setting there, in range, nothing else, and settings that fit together.
 * @throws ConfigError that names the path, what was got and what is allowed.
 */
export function parseRunConfig(input: unknown): RunConfig {
  const config = structured(input);
  const { algorithm, policy } = config;
  const chosen = [
    ["environment", entryIssue(ENVIRONMENTS, config.environment)],
    ["harness", entryIssue(HARNESSES, config.harness)],
    ["reward", entryIssue(REWARD_SOURCES, config.reward)],
    ["algorithm.credit", entryIssue(CREDIT_ASSIGNERS, algorithm.credit)],
    ["algorithm.objective", entryIssue(OBJECTIVES, algorithm.objective)],
  ] as const;
  for (const [path, issue] of chosen) if (issue !== undefined) throw configError(path, `is not possible: ${issue}`);
  const board = largestBoardOf(config.environment);
  const needed = board === undefined ? 0 : boardTokens(config.harness, board);
  if (needed > policy.context) {
    throw configError("environment", `is not possible: what is seen of such a board takes up to ${needed} tokens, and policy.context is ${policy.context}; allowed: a smaller board, or policy.context from ${needed}${needed > rangeAt("policy.context").max ? ", which no policy has" : " with a policy of that size (from blank, or pretrained)"}`);
  }
  const { minibatches, groupsPerUpdate, objective } = algorithm;
  if (minibatches > groupsPerUpdate) {
    throw configError("algorithm.minibatches", `is ${minibatches}; allowed: at most algorithm.groupsPerUpdate, which is ${groupsPerUpdate}`);
  }
  if (objective.valueCoefficient > 0 && !policy.valueHead) {
    throw configError("algorithm.objective.valueCoefficient", `is ${objective.valueCoefficient}; allowed: 0 while policy.valueHead is false`);
  }
  const { needs }: AnyCreditEntry = CREDIT_ASSIGNERS[algorithm.credit.id];
  if (objective.valueCoefficient === 0 && policy.valueHead && needs.includes("values")) {
    throw configError("algorithm.objective.valueCoefficient", `is 0; allowed: more than 0 while policy.valueHead is true and algorithm.credit is ${algorithm.credit.id}, which would read a value head that is never fitted`);
  }
  return config;
}

/** Of a setting that is a number. @throws RangeError for any other. */
export function rangeAt(path: string): { readonly min: number; readonly max: number } {
  let schema: v.GenericSchema | undefined = runConfigSchema;
  for (const key of path.split(".")) schema = schema && childAt(schema, undefined, key);
  const { min, max } = schema === undefined ? {} : v.getMetadata(schema);
  if (typeof min !== "number" || typeof max !== "number") throw new RangeError(`${path} is no setting with a range`);
  return { min, max };
}

function replaced(schema: v.GenericSchema, value: unknown, [key, ...rest]: readonly string[], place: string, text: string): unknown {
  if (key === undefined) {
    const keys = keysAt(schema, value);
    if (schema.type === "strict_object") throw configError(place, `is a group of settings; set one of ${keys.map((name) => `${place}.${name}`).join(", ")}`);
    const read = readText(schema, text);
    if (isChoice(schema) && read === text) throw configError(place, `is ${shown(text)}; allowed: ${allowedAt(schema)}`);
    return read;
  }
  const child = childAt(schema, value, key);
  if (child === undefined) {
    const keys = keysAt(schema, value);
    throw configError(place, keys.length === 0 ? `is a single value and has no setting ${shown(key)}` : `has no setting ${shown(key)}; allowed: ${keys.join(", ")}`);
  }
  if (child === schema) return replaced(child, value, rest, place, text);
  return { ...(value as object), [key]: replaced(child, propertyOf(value, key), rest, place === "" ? key : `${place}.${key}`, text) };
}

/**
 * A configuration with one setting changed by what was typed, such as `algorithm.groupSize` and "16". The id of an entry, typed
 * for a union (`algorithm.credit`, "leave-one-out"), selects that entry with its defaults; `preset` starts over from that preset.
 * Relations between settings are not checked here, so that several can be set in any order: `parseRunConfig` comes last.
 * @throws ConfigError for an unknown path (naming what there is at that level) or a value out of range.
 */
export function setPath(config: RunConfig, path: string, text: string): RunConfig {
  const changed = structured(replaced(runConfigSchema, config, path.split("."), "", text));
  return path === "preset" ? PRESETS[changed.preset] : changed;
}

/** Equal for equal settings, in whatever order they stand. */
export const configText = (config: RunConfig): string => canonical(config as unknown as Json);
