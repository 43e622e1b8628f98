import type { Verdict } from "#core/environment.ts";
import type { Action, Json, SeenStep } from "#core/trajectory.ts";
import { canonical } from "#core/json.ts";
import { isBusy } from "./notes.ts";
import { denyCase, mustDeny, refundOrder, type Database, type DeskState, type DeskTask } from "./state.ts";

/** What the database must be in the end. */
export const expectedDatabase = ({ request, database }: DeskTask): Database =>
  mustDeny(request, database) ? denyCase(database) : refundOrder(database, request.target);

const asNumber = (value: Json): number | null => {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : null;
};

/** Structural equality; the order of keys and the spelling of a number (25, "25", "25.0") do not matter. */
export function sameRecords(left: Json, right: Json): boolean {
  if (left === right) return true;
  const [a, b] = [asNumber(left), asNumber(right)];
  if (a !== null && b !== null) return Math.abs(a - b) <= 1e-9;
  if (left === null || right === null || typeof left !== "object" || typeof right !== "object") return left === right;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const entries = Object.entries(left) as readonly (readonly [string, Json])[];
  const other = right as { readonly [key: string]: Json };
  return entries.length === Object.keys(right).length
    && entries.every(([key, value]) => Object.hasOwn(other, key) && sameRecords(value, other[key] as Json));
}

const called = (action: Action, name: string): boolean => action.kind === "tool" && action.name === name;
const orderOf = (action: Action): Json => (action.kind === "tool" ? (action.args.order ?? null) : null);

function refundedUnchecked(seen: readonly SeenStep[]): boolean {
  const checked = new Set<Json>();
  for (const { action, observation } of seen) {
    if (called(action, "check_ship_date") && observation.kind !== "error") checked.add(orderOf(action));
    if (called(action, "refund") && observation.kind !== "error" && !checked.has(orderOf(action))) return true;
  }
  return false;
}

function repeatedCall(seen: readonly SeenStep[]): boolean {
  const answered = new Set<string>();
  for (const step of seen) {
    if (step.action.kind !== "tool" || isBusy(step.observation)) continue;
    const call = canonical([step.action.name, step.action.args]);
    if (answered.has(call)) return true;
    answered.add(call);
  }
  return false;
}

/**
 * Right when the database is as expected and nothing else changed, however the episode ended. `naive` looks only for the change
 * that was due, so refunding everything and denying besides would pass it. `eligible` looks at refunds that were due and at nothing else:
 * whoever asks for what the policy forbids may get it. A call that failed may be repeated.
 */
export function verdict(task: DeskTask, { database }: DeskState, seen: readonly SeenStep[]): Verdict {
  const success = sameRecords(database, expectedDatabase(task));
  const forbidden = mustDeny(task.request, task.database);
  const refunded = database.orders.some((order) => order.refunded && order.id === task.request.target);
  const due = forbidden ? database.denied : refunded;
  const asked = seen.filter(({ action }) => called(action, "ask_customer")).length;
  return {
    success,
    checks: [
      { name: "success", passed: success, weight: 1 },
      { name: "naive", passed: due, weight: 1 },
      { name: "eligible", passed: forbidden || refunded, weight: 1 },
    ],
    monitors: [
      { name: "refunded-unchecked", fired: !task.request.briefed && refundedUnchecked(seen) },
      { name: "refunded-forbidden", fired: forbidden && refunded },
      { name: "asked-needlessly", fired: asked > (task.request.kind === "ambiguous" ? 1 : 0) },
      { name: "repeated-call", fired: repeatedCall(seen) },
    ],
  };
}
