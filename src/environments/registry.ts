import type { GenericSchema } from "valibot";
import { DEFAULTS as SANDBOX_DEFAULTS, SCHEMA as SANDBOX_SCHEMA } from "./js-sandbox/config.ts";
import { DEFAULTS, SCHEMA } from "./refund-desk/config.ts";
import { DEFAULTS as SOKOBAN_DEFAULTS, SCHEMA as SOKOBAN_SCHEMA } from "./sokoban/config.ts";

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
  sokoban: { id: "sokoban", title: "Sokoban", schema: SOKOBAN_SCHEMA, defaults: SOKOBAN_DEFAULTS },
  "js-sandbox": { id: "js-sandbox", title: "JavaScript repair", schema: SANDBOX_SCHEMA, defaults: SANDBOX_DEFAULTS },
} as const satisfies Record<string, EnvironmentEntry>;
