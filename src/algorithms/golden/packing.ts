import * as v from "valibot";
import type { Json } from "#core/trajectory.ts";
import type { MaskedRows } from "#algorithms/masked-rows.ts";

export type GoldenFunction = (inputs: unknown) => Json;
export type GoldenFunctions = Readonly<Record<string, GoldenFunction>>;

export const numbers = v.array(v.number());
export const table = v.array(numbers);
export const texts = v.array(v.string());
export const scorable = v.array(v.nullable(v.number()));
export const bits = v.array(v.picklist([0, 1]));
export const mask = v.array(bits);
export const std = v.picklist(["none", "population", "sample"]);
export const whole = v.pipe(v.number(), v.integer());

/** Inputs are checked before `run` sees them. */
export const golden = <S extends v.GenericSchema>(inputs: S, run: (inputs: v.InferOutput<S>) => Json): GoldenFunction =>
  (raw) => run(v.parse(inputs, raw));

type Shape = readonly (readonly unknown[])[];

/** @throws RangeError when the rows are not shaped as the mask's. */
export function flatten(rows: readonly (readonly number[])[], shape: Shape): Float64Array {
  if (rows.length !== shape.length || rows.some((row, index) => row.length !== shape[index]?.length)) throw new RangeError("rows differ in shape from the mask");
  return Float64Array.from(rows.flat());
}

export const startsOf = (shape: Shape): number[] => shape.reduce<number[]>((starts, row) => [...starts, (starts.at(-1) as number) + row.length], [0]);

export const rowsOf = (shape: readonly (readonly number[])[]): MaskedRows => ({ starts: startsOf(shape), mask: shape.flat() });

export const unflatten = (flat: Float64Array, shape: Shape): number[][] => {
  const starts = startsOf(shape);
  return shape.map((row, index) => [...flat.subarray(starts[index], (starts[index] as number) + row.length)]);
};
