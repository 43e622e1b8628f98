import type { CreditConfig } from "./credit/registry.ts";
import { CREDIT_ASSIGNERS } from "./credit/registry.ts";
import type { ClipRange } from "./objectives/clipped-loss.ts";
import type { ObjectiveConfig } from "./objectives/registry.ts";
import { OBJECTIVES } from "./objectives/registry.ts";

/** The settings that make an algorithm; everything else of a run stays as it is. */
export interface Recipe {
  readonly title: string;
  /** What it takes from its source and what it does not. */
  readonly note: string;
  readonly settings: ClipRange & { readonly credit: CreditConfig; readonly objective: ObjectiveConfig };
}

const flat = { id: "flat", ...CREDIT_ASSIGNERS.flat.defaults } as const;
const clipped = { id: "clipped", ...OBJECTIVES.clipped.defaults } as const;

/** Known algorithms as a credit scheme and an objective. Sources: algorithms.md, sections 1.2, 3 and 16. */
export const RECIPES = {
  grpo: {
    title: "GRPO",
    note: "arXiv 2402.03300 with what was seen to learn here: population deviation, ε 1e-4, mean over all tokens, no KL.",
    settings: { credit: flat, objective: clipped, clipLow: 0.2, clipHigh: 0.2 },
  },
  "dr-grpo": {
    title: "Dr. GRPO",
    note: "arXiv 2503.20783: no division by the deviation; token losses are summed and divided by a constant, not by the length.",
    settings: { credit: { ...flat, std: "none", eps: 0 }, objective: { ...clipped, aggregation: "constant" }, clipLow: 0.2, clipHigh: 0.2 },
  },
  rloo: {
    title: "RLOO",
    note: "arXiv 2402.14740's baseline under the clipped loss; mean over all tokens as in verl, without its dual clip; no KL in the reward.",
    settings: { credit: { id: "leave-one-out" }, objective: clipped, clipLow: 0.2, clipHigh: 0.2 },
  },
  dapo: {
    title: "DAPO without dynamic sampling",
    note: "arXiv 2503.14476 as verl runs it: sample deviation, clip-higher, mean over all tokens, dual clip 3. Equal-reward groups are dropped, not replaced; no overlong penalty.",
    settings: { credit: { ...flat, std: "sample", eps: 1e-6 }, objective: { ...clipped, dualClip: 3 }, clipLow: 0.2, clipHigh: 0.28 },
  },
} as const satisfies Record<string, Recipe>;
