import type { GenericSchema } from "valibot";
import { DEFAULTS, SCHEMA } from "./refund-desk/config.ts";

interface EnvironmentEntry {
  readonly id: string;
  readonly title: string;
  /** Of the configuration; `defaults` satisfy it. */
  readonly schema: GenericSchema;
  readonly defaults: object;
}

/** What settings and forms say of an environment. What it does stands in `implementations.ts`: the page never loads that. */
export const ENVIRONMENTS = {
  "refund-desk": { id: "refund-desk", title: "Refund desk", schema: SCHEMA, defaults: DEFAULTS },
} as const satisfies Record<string, EnvironmentEntry>;
