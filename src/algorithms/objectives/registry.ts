import type { ChoiceOf } from "#algorithms/entry.ts";
import { cispo } from "./cispo.ts";
import { clipped } from "./clipped.ts";
import { dpo } from "./dpo.ts";
import type { AnyObjectiveEntry } from "./entry.ts";
import { gspo } from "./gspo.ts";
import { raft } from "./raft.ts";
import { reinforce } from "./reinforce.ts";
import { sft } from "./sft.ts";

/** What settings, forms and links say of an objective. What it does stands in `implementations.ts`: the page never loads that. */
export const OBJECTIVES = { clipped, gspo, cispo, reinforce, dpo, raft, sft } as const satisfies Record<string, AnyObjectiveEntry>;

export type ObjectiveConfig = ChoiceOf<typeof OBJECTIVES>;
