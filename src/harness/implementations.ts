import type { ToolSchema } from "#core/environment.ts";
import type { HARNESSES } from "./registry.ts";
import { createToolLoop, type LoopHarness } from "./tool-loop.ts";

/** How each entry of the registry is made for an environment's tools and words. */
export const HARNESS_MAKERS = {
  "tool-loop": createToolLoop,
} as const satisfies Record<keyof typeof HARNESSES, (tools: readonly ToolSchema[], words: readonly string[]) => LoopHarness>;
