import type { Age, Kind } from "#environments/refund-desk/prior.ts";
import { createTask, type DeskTask } from "#environments/refund-desk/state.ts";

interface Rest {
  readonly target?: number;
  readonly failureRate?: number;
  readonly window?: number;
}

/** A task written by hand; orders are [item, id, age]. */
export const deskTask = (
  wanted: string, kind: Kind, orders: readonly (readonly [string, string, Age])[], { target = 0, failureRate = 0, window = 50 }: Rest = {},
): DeskTask => createTask(
  { window, wanted, kind, target, orders: orders.map(([item, id, age]) => ({ item, id, age })) }, "train", failureRate,
);
