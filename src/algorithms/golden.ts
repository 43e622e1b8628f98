import * as v from "valibot";
import { ConfigError } from "#core/errors.ts";
import type { Json } from "#core/trajectory.ts";
import { CREDIT_FUNCTIONS } from "./golden/credit.ts";
import { MEASURE_FUNCTIONS } from "./golden/measures.ts";
import { OBJECTIVE_FUNCTIONS } from "./golden/objectives.ts";
import type { GoldenFunctions } from "./golden/packing.ts";

/**
 * The functions of algorithms.md, section 17, under the names of its tables. Each only packs the vector's nested lists, calls what
 * training and evaluation call, and unpacks.
 */
export const GOLDEN_FUNCTIONS: GoldenFunctions = { ...CREDIT_FUNCTIONS, ...OBJECTIVE_FUNCTIONS, ...MEASURE_FUNCTIONS };

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
