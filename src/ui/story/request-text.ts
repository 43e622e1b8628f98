import type { Observation } from "#core/trajectory.ts";
import { observationLines, observationText } from "../board/action-label.ts";

const MOST_RECENT = "recent";
/** What is seen at once, and needs no name before it. */
const NOUNS: Readonly<Record<string, string>> = { board: "level", source: "program" };

/** What an attempt began with, as a person would say it; what is not known is told by its names. */
export function requestText(first: Observation): string {
  const { kind, content } = first;
  if (NOUNS[kind] !== undefined) return observationLines(first).map(([, text]) => text).join(", ");
  if (kind !== "request" || content === null || typeof content !== "object" || !("window" in content) || !("refund" in content)) return observationText(first);
  const { window, refund } = content;
  if (typeof window !== "string" || typeof refund !== "string") return observationText(first);
  const wanted = refund === MOST_RECENT ? "their latest order" : `their ${refund}`;
  return `a customer wants ${wanted} refunded, allowed within ${window} days`;
}

/** What all attempts of a group have in common, with its text. */
export function startText(first: Observation): string {
  const noun = NOUNS[first.kind] ?? "request";
  return `at one ${noun}: ${requestText(first)}`;
}
