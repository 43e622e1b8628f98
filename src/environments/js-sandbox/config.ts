import * as v from "valibot";
import { integerField } from "#core/field.ts";

export interface JsSandboxConfig {
  /** Inputs that the hidden tests of a task try. */
  readonly hiddenTests: number;
}

export const DEFAULTS: JsSandboxConfig = { hiddenTests: 12 };

export const SCHEMA = v.strictObject({
  hiddenTests: integerField({ title: "Hidden tests", help: "Inputs drawn anew for every task that only the strict verdict tries", unit: "inputs", min: 4, max: 24 }),
});
