import * as v from "valibot";
import type { Assign, CreditEntry } from "./entry.ts";
import { assign as againstGroup } from "./flat.ts";

const schema = v.strictObject({});

/**
 * RLOO's credit: return minus the mean return of the other members, not divided by anything.
 * Source: arXiv 2402.14740.
 */
export const leaveOneOut: CreditEntry<typeof schema> = {
  id: "leave-one-out",
  title: "Leave one out (RLOO)",
  needs: [],
  schema,
  defaults: {},
};

export const assign: Assign<typeof schema> = (groups, _, rng) => againstGroup(groups, { std: "none", eps: 0, leaveOneOut: true }, rng);
