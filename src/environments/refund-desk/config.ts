import * as v from "valibot";
import { booleanField, integerField, numberField } from "#core/field.ts";

export interface RefundDeskConfig {
  /** A customer has 1..maxOrders orders, each number equally likely; an ambiguous request needs two, so 1 allows none. */
  readonly maxOrders: number;
  /** Share of tasks whose right ending is a denial, whatever their kind. */
  readonly denyShare: number;
  /** Shares of kinds; the rest are named items. */
  readonly ambiguousShare: number;
  readonly recentShare: number;
  /** Chance that a look-up or a check fails, while none has failed in the episode. */
  readonly failureRate: number;
  /** All on the table: the request comes with listing, dates and the customer's answer, nothing fails, and the first call ends the case. */
  readonly briefed: boolean;
}

export const DEFAULTS: RefundDeskConfig = { maxOrders: 3, denyShare: 0.4, ambiguousShare: 0.35, recentShare: 0.3, failureRate: 0.1, briefed: false };

export const SCHEMA = v.pipe(
  v.strictObject({
    maxOrders: integerField({ title: "Orders", help: "Most orders a customer has", min: 1, max: 4 }),
    denyShare: numberField({ title: "Denials", help: "Share of requests that the policy forbids", min: 0, max: 1, step: 0.05 }),
    ambiguousShare: numberField({ title: "Ambiguous", help: "Share of requests that only the customer can make clear", min: 0, max: 1, step: 0.05 }),
    recentShare: numberField({ title: "Most recent", help: "Share of requests for the order shipped last", min: 0, max: 1, step: 0.05 }),
    failureRate: numberField({ title: "Failures", help: "Chance that a look-up or a check fails; at most once an episode", min: 0, max: 0.5, step: 0.01 }),
    briefed: booleanField({ title: "All on the table", help: "The request comes with the orders, their dates and what the customer meant; the first call ends the case." }),
  }),
  v.check(
    ({ ambiguousShare, recentShare }) => ambiguousShare + recentShare <= 1 + 1e-9,
    "ambiguousShare and recentShare must sum to at most 1",
  ),
);
