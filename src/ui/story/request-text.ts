import type { Observation } from "#core/trajectory.ts";
import { observationText } from "../board/action-label.ts";

const MOST_RECENT = "recent";

/** What an attempt began with, as a person would say it; what is not known is told by its names. */
export function requestText(first: Observation): string {
  const { kind, content } = first;
  if (kind !== "request" || content === null || typeof content !== "object" || !("window" in content) || !("refund" in content)) return observationText(first);
  const { window, refund } = content;
  if (typeof window !== "string" || typeof refund !== "string") return observationText(first);
  const wanted = refund === MOST_RECENT ? "their latest order" : `their ${refund}`;
  return `a customer wants ${wanted} refunded, allowed within ${window} days`;
}

/** What all attempts of a group have in common, with its text. */
export function startText(first: Observation): string {
  const noun = first.kind === "board" ? "level" : first.kind === "source" ? "program" : "request";
  return `at one ${noun}: ${requestText(first)}`;
}
