import * as v from "valibot";
import { booleanField, choiceField, integerField } from "#core/field.ts";

const common = {
  constrained: booleanField({ title: "Constrained decoding", help: "Only tokens that can go on to a well-formed tool call are sampled." }),
  varyWording: booleanField({ title: "Vary the wording", help: "Each episode draws one of four equivalent wordings of markers and errors." }),
  retries: integerField({ title: "Retries", help: "Malformed actions tolerated before an episode is truncated.", unit: "actions", min: 0, max: 8 }),
};
const turns = (max: number) => integerField({ title: "Turns", help: "Actions an episode may take before it is truncated.", unit: "turns", min: 1, max });

const toolLoopSchema = v.strictObject({ ...common, turns: turns(16) });

const latestObservationSchema = v.strictObject({
  ...common,
  turns: turns(128),
  observations: integerField({ title: "Observations", help: "How many of the latest are shown, with the actions between them.", min: 1, max: 4 }),
  grid: choiceField(["cells", "coordinates"], { title: "Grid", help: "A board as one token a cell, or as what stands where: word and place for all but the commonest." }),
});

/** What every harness is told. */
interface CommonConfig {
  readonly constrained: boolean;
  readonly varyWording: boolean;
  readonly turns: number;
  readonly retries: number;
}
interface HarnessEntry {
  readonly id: string;
  readonly title: string;
  readonly schema: v.GenericSchema<CommonConfig>;
  readonly defaults: CommonConfig & Readonly<Record<string, boolean | number | string>>;
}

export type ToolLoopConfig = v.InferOutput<typeof toolLoopSchema>;
export type LatestObservationConfig = v.InferOutput<typeof latestObservationSchema>;

/** What settings and forms say of a harness. What it does stands in `implementations.ts`: the page never loads that. */
export const HARNESSES = {
  "tool-loop": {
    id: "tool-loop",
    title: "Tool loop",
    schema: toolLoopSchema,
    defaults: { constrained: true, varyWording: false, turns: 8, retries: 3 },
  },
  "latest-observation": {
    id: "latest-observation",
    title: "Latest observation",
    schema: latestObservationSchema,
    defaults: { constrained: true, varyWording: false, turns: 15, retries: 3, observations: 1, grid: "cells" },
  },
} as const satisfies Record<string, HarnessEntry>;
