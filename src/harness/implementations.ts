import type { ToolSchema } from "#core/environment.ts";
import { createLatestObservation } from "./latest-observation.ts";
import type { HARNESSES, LatestObservationConfig, ToolLoopConfig } from "./registry.ts";
import { createToolLoop, type LoopHarness } from "./tool-loop.ts";

/** How each entry of the registry is made for an environment's tools and words. */
export const HARNESS_MAKERS = {
  "tool-loop": createToolLoop,
  "latest-observation": createLatestObservation,
} as const satisfies Record<keyof typeof HARNESSES, (...parameters: never) => LoopHarness>;

type HarnessSettings = ({ readonly id: "tool-loop" } & ToolLoopConfig) | ({ readonly id: "latest-observation" } & LatestObservationConfig);

/** The harness that a configuration names. @param withheld tools of the vocabulary that no action may name. */
export function createHarness(settings: HarnessSettings, tools: readonly ToolSchema[], words: readonly string[], withheld: readonly string[] = []): LoopHarness {
  switch (settings.id) {
    case "tool-loop": return HARNESS_MAKERS[settings.id](tools, words, withheld);
    case "latest-observation": return HARNESS_MAKERS[settings.id](tools, words, settings, withheld);
    default: return settings satisfies never;
  }
}
