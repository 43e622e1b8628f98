import * as v from "valibot";
import { booleanField, integerField } from "#core/field.ts";

const toolLoopSchema = v.strictObject({
  constrained: booleanField({ title: "Constrained decoding", help: "Only tokens that can go on to a well-formed tool call are sampled." }),
  varyWording: booleanField({ title: "Vary the wording", help: "Each episode draws one of four equivalent wordings of markers and errors." }),
  turns: integerField({ title: "Turns", help: "Actions an episode may take before it is truncated.", unit: "turns", min: 1, max: 16 }),
  retries: integerField({ title: "Retries", help: "Malformed actions tolerated before an episode is truncated.", unit: "actions", min: 0, max: 8 }),
});

interface HarnessEntry {
  readonly id: string;
  readonly title: string;
  readonly schema: v.GenericSchema<ToolLoopConfig>;
  readonly defaults: ToolLoopConfig;
}

export type ToolLoopConfig = v.InferOutput<typeof toolLoopSchema>;

/** What settings and forms say of a harness. What it does stands in `implementations.ts`: the page never loads that. */
export const HARNESSES = {
  "tool-loop": {
    id: "tool-loop",
    title: "Tool loop",
    schema: toolLoopSchema,
    defaults: { constrained: true, varyWording: false, turns: 8, retries: 3 },
  },
} as const satisfies Record<string, HarnessEntry>;
