import type { ToolSchema } from "#core/environment.ts";
import { createLatestObservation } from "./latest-observation.ts";
import type { HARNESSES, LatestObservationConfig, ToolLoopConfig } from "./registry.ts";
import { createToolLoop, type LoopHarness } from "./tool-loop.ts";

/** How each entry of the registry is made for an environment's tools and words. */
export const HARNESS_MAKERS = {
  "tool-loop": createToolLoop,
  "latest-observation": createLatestObservation,
} as const satisfies Record<keyof typeof HARNESSES, (tools: readonly ToolSchema[], words: readonly string[], settings: LatestObservationConfig) => LoopHarness>;

type HarnessSettings = ({ readonly id: "tool-loop" } & ToolLoopConfig) | ({ readonly id: "latest-observation" } & LatestObservationConfig);

/** The harness that a configuration names. */
export function createHarness(settings: HarnessSettings, tools: readonly ToolSchema[], words: readonly string[]): LoopHarness {
  switch (settings.id) {
    case "tool-loop": return HARNESS_MAKERS[settings.id](tools, words);
    case "latest-observation": return HARNESS_MAKERS[settings.id](tools, words, settings);
    default: return settings satisfies never;
  }
}
