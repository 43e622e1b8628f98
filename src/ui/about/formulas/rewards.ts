import type { REWARD_SOURCES } from "#algorithms/rewards/registry.ts";
import { line, sub } from "../../inspector/formulas/math.tsx";
import type { Explained } from "./entry.ts";
import { words } from "./parts.tsx";

const r = sub("r", "t");

/** What an attempt is paid, R at its end and r with a turn. */
export const REWARD_FORMULAS = {
  verifiable: { formula: [line("R", "=", "1", words("or"), "0")], says: "Paid at the end where the strict verdict on the final database, or the check named under “Pays for”, was passed." },
  shaped: { formula: [line(r, "=", "Σ", "w", "−", "f")], says: "Beside the verdict: weights w of sub-goals and mistakes with the turn, less f for an action that could not be read, and a penalty for length if it is switched on." },
  "call-bonus": { formula: [line("R", "=", "1", words("or"), "0"), line(r, "=", "b", words("for a call of the paid tool"))], says: "Beside the verdict, a bonus b for every answered call of one tool, useful or not: worth more the more often it is called." },
  "event-table": { formula: [line(r, "=", "Σ", "w")], says: "The environment's own table of events and nothing beside it; the verdict is not read." },
  learned: { formula: [line("P", "(", "a", words("better"), ")", "=", "sigmoid", "(", sub("R", "a"), "−", sub("R", "b"), ")")], says: "A reward model fitted to comparisons, as in RLHF. Comparisons are made by the verdict, so that its mistakes can be seen." },
  implicit: { formula: [line(r, "=", "β", "(", "ln", sub("π", "φ"), "−", "ln", sub("π", "start"), ")")], says: "The log ratio of a model fitted to outcomes to what it started as, summed over the turn; nothing at the end." },
  "noisy-judge": { formula: [line("R", "=", words("verdict"), "±", words("error"))], says: "A control: a judge who errs by chance, at set rates, the same for every attempt." },
  "coin-flip": { formula: [line("R", "=", "1", words("or"), "0", words("by chance"))], says: "A control: knows nothing. What improves under it was not learnt from the reward." },
} as const satisfies { readonly [K in keyof typeof REWARD_SOURCES]: Explained };
