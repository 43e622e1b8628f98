import * as v from "valibot";

/** What a form needs to draw a field; kept beside the check so that the two cannot disagree. */
export interface FieldNote {
  readonly title: string;
  readonly help: string;
  readonly unit?: string;
}
export interface NumberRange extends FieldNote {
  readonly min: number;
  readonly max: number;
  readonly step?: number;
}

/** A finite number within [min, max]. */
export const numberField = ({ min, max, ...note }: NumberRange) =>
  v.pipe(v.number(), v.finite(), v.minValue(min), v.maxValue(max), v.metadata({ ...note, min, max }));

/** A whole number within [min, max]. */
export const integerField = ({ min, max, ...note }: NumberRange) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max), v.metadata({ step: 1, ...note, min, max }));

export const booleanField = (note: FieldNote) => v.pipe(v.boolean(), v.metadata({ ...note }));

export const choiceField = <const T extends readonly [string, ...string[]]>(options: T, note: FieldNote) =>
  v.pipe(v.picklist(options), v.metadata({ ...note }));
