import type { Rng } from "#core/chance.ts";
import type { Credit, ScoredGroup } from "#core/credit.ts";
import { assign as bilevel } from "./bilevel.ts";
import { assign as branching } from "./branching.ts";
import { assign as critic } from "./critic.ts";
import { assign as dial } from "./dial.ts";
import { assign as flat } from "./flat.ts";
import { assign as gigpo } from "./gigpo.ts";
import { assign as hgpo } from "./hgpo.ts";
import { assign as hierarchical } from "./hierarchical.ts";
import { assign as istar } from "./istar.ts";
import { assign as leaveOneOut } from "./leave-one-out.ts";
import { assign as mtGrpo } from "./mt-grpo.ts";
import { assign as potential } from "./potential.ts";
import { assign as prime } from "./prime.ts";
import { assign as processImmediate } from "./process-immediate.ts";
import { assign as process } from "./process.ts";
import { assign as random } from "./random.ts";
import { assign as reinforcePlusPlusBaseline } from "./reinforce-plus-plus-baseline.ts";
import { assign as reinforcePlusPlus } from "./reinforce-plus-plus.ts";
import { assign as reinforce } from "./reinforce.ts";
import { assign as truth } from "./truth.ts";
import type { AnyAssign, Assign } from "./entry.ts";
import type { CREDIT_ASSIGNERS, CreditConfig } from "./registry.ts";

/** One to each entry of the registry. */
const ASSIGN = {
  flat,
  "leave-one-out": leaveOneOut,
  reinforce,
  "reinforce-plus-plus": reinforcePlusPlus,
  "reinforce-plus-plus-baseline": reinforcePlusPlusBaseline,
  process,
  "process-immediate": processImmediate,
  potential,
  "mt-grpo": mtGrpo,
  gigpo,
  hgpo,
  hierarchical,
  critic,
  bilevel,
  branching,
  istar,
  prime,
  truth,
  dial,
  random,
} as const satisfies { readonly [K in keyof typeof CREDIT_ASSIGNERS]: Assign<(typeof CREDIT_ASSIGNERS)[K]["schema"]> };

/** [groups][G] by the scheme the configuration names. */
export function assignCredit(groups: readonly ScoredGroup[], config: CreditConfig, rng: Rng): readonly (readonly Credit[])[] {
  const assign: AnyAssign = ASSIGN[config.id];
  return assign(groups, config, rng);
}
