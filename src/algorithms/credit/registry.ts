import type { ChoiceOf } from "#algorithms/entry.ts";
import { bilevel } from "./bilevel.ts";
import { branching } from "./branching.ts";
import { critic } from "./critic.ts";
import { dial } from "./dial.ts";
import type { AnyCreditEntry } from "./entry.ts";
import { flat } from "./flat.ts";
import { gigpoScheme } from "./gigpo.ts";
import { hgpoScheme } from "./hgpo.ts";
import { hierarchical } from "./hierarchical.ts";
import { istar } from "./istar.ts";
import { leaveOneOut } from "./leave-one-out.ts";
import { mtGrpoScheme } from "./mt-grpo.ts";
import { potential } from "./potential.ts";
import { prime } from "./prime.ts";
import { processImmediate } from "./process-immediate.ts";
import { process } from "./process.ts";
import { random } from "./random.ts";
import { reinforcePlusPlusBaselineScheme } from "./reinforce-plus-plus-baseline.ts";
import { reinforcePlusPlusScheme } from "./reinforce-plus-plus.ts";
import { reinforce } from "./reinforce.ts";
import { truth } from "./truth.ts";

/** What settings, forms and links say of a scheme. What it does stands in `implementations.ts`: the page never loads that. */
export const CREDIT_ASSIGNERS = {
  flat,
  "leave-one-out": leaveOneOut,
  reinforce,
  "reinforce-plus-plus": reinforcePlusPlusScheme,
  "reinforce-plus-plus-baseline": reinforcePlusPlusBaselineScheme,
  process,
  "process-immediate": processImmediate,
  potential,
  "mt-grpo": mtGrpoScheme,
  gigpo: gigpoScheme,
  hgpo: hgpoScheme,
  hierarchical,
  critic,
  bilevel,
  branching,
  istar,
  prime,
  truth,
  dial,
  random,
} as const satisfies Record<string, AnyCreditEntry>;

export type CreditConfig = ChoiceOf<typeof CREDIT_ASSIGNERS>;
