import * as v from "valibot";
import { legalEntropy, legalKl, legalLogNormaliser, logitGradient } from "#core/distribution.ts";
import type { RowGradient } from "#core/distribution.ts";
import { ConfigError } from "#core/errors.ts";
import { exp } from "#core/math.ts";
import { mulberry32 } from "#core/mulberry32.ts";
import { bootstrapInterval, passAtK, passHatK } from "#core/statistics.ts";
import type { Json } from "#core/trajectory.ts";
import { groupAdvantage } from "./credit/flat.ts";
import { clippedLoss } from "./objectives/clipped-loss.ts";
import { sftLoss } from "./objectives/sft.ts";
import { weighRows } from "./objectives/token-rows.ts";
import { valueLoss } from "./objectives/value.ts";
import { hasSignal } from "./returns.ts";

/**
 * The functions of algorithms.md, section 17, under the names of its tables. Each only packs the vector's nested lists, calls what
 * training and evaluation call, and unpacks.
 */
export type GoldenFunction = (inputs: unknown) => Json;

const numbers = v.array(v.number());
const table = v.array(numbers);
const scorable = v.array(v.nullable(v.number()));
const bits = v.array(v.picklist([0, 1]));
const mask = v.array(bits);
const average = { aggregation: v.picklist(["tokenMean", "sequenceMean", "constant"]), constant: v.nullable(v.number()) };

/** Inputs are checked before `run` sees them. */
const golden = <S extends v.GenericSchema>(inputs: S, run: (inputs: v.InferOutput<S>) => Json): GoldenFunction =>
  (raw) => run(v.parse(inputs, raw));

/** @throws RangeError when the rows are not shaped as the mask's. */
function flatten(rows: readonly (readonly number[])[], shape: readonly (readonly number[])[]): Float64Array {
  if (rows.length !== shape.length || rows.some((row, index) => row.length !== shape[index]?.length)) throw new RangeError("rows differ in shape from the mask");
  return Float64Array.from(rows.flat());
}

const startsOf = (shape: readonly (readonly unknown[])[]): number[] =>
  shape.reduce<number[]>((starts, row) => [...starts, (starts.at(-1) as number) + row.length], [0]);

const unflatten = (flat: Float64Array, shape: readonly (readonly unknown[])[]): number[][] => {
  const starts = startsOf(shape);
  return shape.map((row, index) => [...flat.subarray(starts[index], (starts[index] as number) + row.length)]);
};

const legalTo = (legal: readonly number[]) => (token: number): boolean => legal[token] === 1;

/** dLoss/dlogits of one row; 0 for tokens that are not legal. */
const logitGradients = (
  logits: readonly number[], normaliser: number, reference: readonly number[], referenceNormaliser: number, legal: readonly number[], row: RowGradient,
): number[] =>
  logits.map((logit, token) => (legal[token] === 1
    ? logitGradient(logit - normaliser, 0, (reference[token] as number) - referenceNormaliser, row)
    : 0));

const OFF: RowGradient = { dLogprob: 0, entropy: 0, dEntropy: 0, kl: 0, dKl: 0 };

const passInputs = v.object({ successes: numbers, trials: numbers, k: v.pipe(v.number(), v.integer(), v.minValue(1)) });

export const GOLDEN_FUNCTIONS: Readonly<Record<string, GoldenFunction>> = {
  groupAdvantage: golden(
    v.object({ rewards: scorable, std: v.picklist(["none", "population", "sample"]), eps: v.number(), leaveOneOut: v.boolean() }),
    ({ rewards, ...settings }) => ({ advantages: groupAdvantage(rewards, settings) }),
  ),
  clippedLoss: golden(
    v.object({
      logprobs: table, oldLogprobs: table, advantages: table, mask,
      clipLow: v.number(), clipHigh: v.number(), dualClip: v.nullable(v.number()), ...average,
    }),
    (inputs) => {
      const shape = inputs.mask;
      const rows = weighRows(startsOf(shape), shape.flat(), inputs.aggregation, inputs.constant);
      const gradient = new Float64Array(shape.flat().length);
      const policy = {
        logprobs: flatten(inputs.logprobs, shape), oldLogprobs: flatten(inputs.oldLogprobs, shape), advantages: flatten(inputs.advantages, shape),
      };
      const { loss, clipFraction } = clippedLoss(rows, policy, inputs, gradient);
      return { loss, gradLogprobs: unflatten(gradient, shape), clipFraction };
    },
  ),
  sftLoss: golden(v.object({ logprobs: table, mask, aggregation: v.picklist(["tokenMean", "sequenceMean"]) }), (inputs) => {
    const shape = inputs.mask;
    const gradient = new Float64Array(shape.flat().length);
    const loss = sftLoss(weighRows(startsOf(shape), shape.flat(), inputs.aggregation, null), flatten(inputs.logprobs, shape), gradient);
    return { loss, gradLogprobs: unflatten(gradient, shape) };
  }),
  valueLoss: golden(v.object({ values: table, oldValues: table, returns: table, mask, clip: v.nullable(v.number()) }), (inputs) => {
    const shape = inputs.mask;
    const rows = weighRows(startsOf(shape), shape.flat(), "tokenMean", null);
    const gradient = new Float64Array(shape.flat().length);
    const tokens = { values: flatten(inputs.values, shape), oldValues: flatten(inputs.oldValues, shape), returns: flatten(inputs.returns, shape) };
    const { loss, clipFraction } = valueLoss(rows, tokens, inputs.clip, gradient);
    return { loss, gradValues: unflatten(gradient, shape), clipFraction };
  }),
  entropy: golden(v.object({ logits: table, legal: mask }), ({ logits, legal }) => {
    flatten(logits, legal);
    const rows = logits.map((row, index) => {
      const allowed = legal[index] as readonly number[];
      const normaliser = legalLogNormaliser(row, 0, row.length, legalTo(allowed));
      const entropy = legalEntropy(row, 0, row.length, legalTo(allowed), normaliser);
      return {
        entropy,
        probabilities: row.map((logit, token) => (allowed[token] === 1 ? exp(logit - normaliser) : 0)),
        gradient: logitGradients(row, normaliser, row, normaliser, allowed, { ...OFF, entropy, dEntropy: 1 }),
      };
    });
    return {
      entropy: rows.map((row) => row.entropy), probabilities: rows.map((row) => row.probabilities), gradLogits: rows.map((row) => row.gradient),
    };
  }),
  klExact: golden(v.object({ logits: table, referenceLogits: table, legal: mask }), ({ logits, referenceLogits, legal }) => {
    flatten(logits, legal);
    flatten(referenceLogits, legal);
    const rows = logits.map((row, index) => {
      const reference = referenceLogits[index] as readonly number[];
      const allowed = legal[index] as readonly number[];
      const normaliser = legalLogNormaliser(row, 0, row.length, legalTo(allowed));
      const referenceNormaliser = legalLogNormaliser(reference, 0, row.length, legalTo(allowed));
      const kl = legalKl(row, reference, 0, row.length, legalTo(allowed), normaliser, referenceNormaliser);
      return { kl, gradient: logitGradients(row, normaliser, reference, referenceNormaliser, allowed, { ...OFF, kl, dKl: 1 }) };
    });
    return { kl: rows.map((row) => row.kl), gradLogits: rows.map((row) => row.gradient) };
  }),
  dynamicSampling: golden(v.object({ groups: v.array(scorable) }), ({ groups }) => ({ keep: groups.map(hasSignal) })),
  passHatK: golden(passInputs, ({ successes, trials, k }) => ({ ...passHatK(successes, trials, k) })),
  passAtK: golden(passInputs, ({ successes, trials, k }) => ({ ...passAtK(successes, trials, k) })),
  bootstrapInterval: golden(
    v.object({ values: numbers, resamples: v.pipe(v.number(), v.integer()), level: v.number(), seed: v.number() }),
    ({ values, resamples, level, seed }) => ({ ...bootstrapInterval(values, resamples, level, mulberry32(seed)) }),
  ),
};

export interface GoldenResult {
  readonly id: string;
  readonly function: string;
  /** Unsupported: no function of that name here. */
  readonly status: "pass" | "fail" | "unsupported";
  readonly got?: Json;
  readonly expected?: Json;
  /** Why nothing was got. */
  readonly error?: string;
}

const isRecord = (value: Json): value is { readonly [key: string]: Json } => typeof value === "object" && value !== null && !Array.isArray(value);

/** Numbers agree within the tolerance; booleans, texts, null, lengths and names must be equal. */
export function agrees(got: Json, expected: Json, tolerance: number): boolean {
  if (typeof got === "number" && typeof expected === "number") return Math.abs(got - expected) <= tolerance;
  if (Array.isArray(got) && Array.isArray(expected)) {
    return got.length === expected.length && got.every((value, index) => agrees(value as Json, expected[index] as Json, tolerance));
  }
  if (isRecord(got) && isRecord(expected)) {
    const names = Object.keys(expected);
    return names.length === Object.keys(got).length
      && names.every((name) => Object.hasOwn(got, name) && agrees(got[name] as Json, expected[name] as Json, tolerance));
  }
  return got === expected;
}

const json = v.custom<Json>((value) => value !== undefined);
const fileSchema = v.object({
  format: v.literal("golden-functions/1"),
  count: v.number(),
  vectors: v.array(v.object({ id: v.string(), function: v.string(), inputs: json, expected: json, tolerance: v.pipe(v.number(), v.minValue(0)) })),
});

/**
 * Every vector of a golden file (`format` golden-functions/1), in order. A function that throws fails its vector.
 * @throws ConfigError when the file is not one, or says another count of vectors than it has.
 */
export function runGolden(file: unknown): readonly GoldenResult[] {
  const parsed = v.safeParse(fileSchema, file);
  if (!parsed.success) {
    const [{ path, received, expected, requirement }] = parsed.issues;
    const where = path?.map(({ key }) => String(key)).join(".") ?? "the file";
    throw new ConfigError(`not a golden file: ${where} is ${received === "undefined" ? "missing" : `${received}; allowed: ${expected ?? String(requirement)}`}`);
  }
  const { count, vectors } = parsed.output;
  if (count !== vectors.length) throw new ConfigError(`not a whole golden file: it says ${count} vectors and has ${vectors.length}`);
  return vectors.map(({ id, function: name, inputs, expected, tolerance }): GoldenResult => {
    const run = Object.hasOwn(GOLDEN_FUNCTIONS, name) ? GOLDEN_FUNCTIONS[name] : undefined;
    if (run === undefined) return { id, function: name, status: "unsupported" };
    try {
      const got = run(inputs);
      return { id, function: name, status: agrees(got, expected, tolerance) ? "pass" : "fail", got, expected };
    } catch (error) {
      return { id, function: name, status: "fail", expected, error: error instanceof Error ? error.message : String(error) };
    }
  });
}
