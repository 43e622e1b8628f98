import type { Task } from "#core/environment.ts";
import type { Json, Observation } from "#core/trajectory.ts";
import { canonical } from "#core/json.ts";
import { isEligible, type Age, type Kind } from "./prior.ts";
import { ORDER_IDS, PENDING } from "./words.ts";

/** Type aliases where a value is compared or shown as JSON: interfaces have no index signature. */
export type Order = {
  readonly id: string;
  readonly customer: string;
  readonly item: string;
  readonly status: "shipped" | "pending";
  /** Days since shipping; null while pending. */
  readonly age: Age;
  readonly refunded: boolean;
};

/** What the verdict compares: reading never changes it. */
export type Database = {
  readonly orders: readonly Order[];
  /** Whether the denial of the case was recorded. */
  readonly denied: boolean;
};

/** The customer's case; `kind` and `target` are known to the customer alone. */
export interface Request {
  readonly window: number;
  /** An item, or `recent`. */
  readonly wanted: string;
  readonly kind: Kind;
  /** Id of the order that is meant. */
  readonly target: string;
  readonly failureRate: number;
  /** Whether all that could be found out is told at once, and the first call ends the case. */
  readonly briefed: boolean;
}

export interface DeskTask extends Task {
  readonly request: Request;
  readonly database: Database;
}

export interface DeskState {
  readonly request: Request;
  readonly database: Database;
  /** Whether the orders were listed. */
  readonly listed: boolean;
  /** Orders whose date was seen, in that order. */
  readonly checked: readonly string[];
  readonly asked: boolean;
  /** Whether a look-up or a check has failed. */
  readonly failed: boolean;
}

const CUSTOMER = "ada";
const STRANGER = "ben";

export const ordersOfCustomer = ({ orders }: Database): readonly Order[] => orders.filter(({ customer }) => customer === CUSTOMER);

export interface Content {
  readonly window: number;
  readonly wanted: string;
  readonly kind: Kind;
  /** In listing order. */
  readonly orders: readonly { readonly id: string; readonly item: string; readonly age: Age }[];
  /** Index of the order that is meant. */
  readonly target: number;
}

const orderRecord = (id: string, customer: string, item: string, age: Age): Order => ({
  id, customer, item, status: age === null ? "pending" : "shipped", age, refunded: false,
});

const STRANGERS_AGES: readonly number[] = [10, 20, 30];

/** Somebody else's orders: the first ids after the customer's first that are free, so that a listing determines all of them. */
function strangersOrders(orders: Content["orders"]): readonly Order[] {
  const taken = new Set(orders.map(({ id }) => id));
  const start = ORDER_IDS.indexOf(orders[0]?.id ?? "");
  const free = [...ORDER_IDS.slice(start + 1), ...ORDER_IDS.slice(0, start)].filter((id) => !taken.has(id));
  return STRANGERS_AGES.map((age, index) => orderRecord(free[index] ?? "", STRANGER, orders[0]?.item ?? "", age));
}

/** All that distinguishes one task from another, as text; also its id. */
export const contentText = ({ window, wanted, orders, target }: Content): string =>
  `${window}/${wanted}/${orders.map(({ id, item, age }) => `${item}${id}=${age ?? "pending"}`).join(",")}/${orders[target]?.id ?? ""}`;

export function createTask(content: Content, split: Task["split"], failureRate: number, briefed = false): DeskTask {
  const { window, wanted, kind, orders, target } = content;
  return {
    id: contentText(content),
    split,
    request: { window, wanted, kind, target: orders[target]?.id ?? "", failureRate: briefed ? 0 : failureRate, briefed },
    database: {
      orders: [...orders.map(({ id, item, age }) => orderRecord(id, CUSTOMER, item, age)), ...strangersOrders(orders)],
      denied: false,
    },
  };
}

export const initialState = ({ request, database }: DeskTask): DeskState => ({
  request, database, listed: request.briefed, checked: request.briefed ? ordersOfCustomer(database).map(({ id }) => id) : [],
  asked: request.briefed && request.kind === "ambiguous", failed: false,
});

/** What is found out of an order: `pending` in place of its age while it is not shipped. */
const brief = ({ item, id, age }: Order): Json => ({ item, order: id, age: age === null ? PENDING : String(age) });

export const firstObservation = ({ request: { window, wanted, kind, target, briefed }, database }: DeskTask): Observation => ({
  kind: "request",
  content: {
    window: String(window), refund: wanted,
    ...(briefed ? { orders: ordersOfCustomer(database).map(brief), ...(kind === "ambiguous" ? { order: target } : {}) } : {}),
  },
});

export const refundOrder = (database: Database, id: string): Database => ({
  ...database, orders: database.orders.map((order) => (order.id === id ? { ...order, refunded: true } : order)),
});

export const denyCase = (database: Database): Database => ({ ...database, denied: true });

/** Whether the policy forbids the refund that was asked for. */
export const mustDeny = ({ window, target }: Request, { orders }: Database): boolean =>
  !isEligible(orders.find(({ id }) => id === target)?.age ?? null, window);

/** Everything the agent has learnt and done, and nothing it has not. */
export function anchorKey({ request, database, listed, checked, asked, failed }: DeskState): string {
  const own = ordersOfCustomer(database);
  const dates = checked.toSorted().map((id): Json => [id, own.find((order) => order.id === id)?.age ?? null]);
  return canonical({
    window: request.window,
    wanted: request.wanted,
    listing: listed ? own.map(({ id, item }): Json => [item, id]) : null,
    dates,
    answer: asked && request.kind === "ambiguous" ? request.target : asked,
    refunded: database.orders.filter(({ refunded }) => refunded).map(({ id }) => id),
    denied: database.denied,
    failed,
  });
}

export const inspect = ({ request, database }: DeskState): Json => ({
  policy: { window: request.window },
  customer: { name: CUSTOMER, wanted: request.wanted, meant: request.target },
  orders: database.orders,
  denied: database.denied,
});
