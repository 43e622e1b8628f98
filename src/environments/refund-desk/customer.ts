import type { Json } from "#core/trajectory.ts";
import type { DeskState } from "./state.ts";
import { AS_SAID, TOLD_ALREADY } from "./words.ts";

/**
 * The customer as a finite-state machine: "waiting" until asked, then "told" for good. There is always an answer, only an
 * ambiguous request gets more than was said, and the customer never leaves before the agent finishes.
 */
export function answer({ asked, request }: DeskState): Json {
  if (asked) return { answer: TOLD_ALREADY };
  return request.kind === "ambiguous" ? { order: request.target } : { answer: AS_SAID };
}
