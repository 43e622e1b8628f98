import type { Outcome, ToolSchema } from "#core/environment.ts";
import type { Action, Json, Observation, TurnEvent } from "#core/trajectory.ts";
import { answer } from "./customer.ts";
import { denyCase, mustDeny, ordersOfCustomer, refundOrder, type DeskState } from "./state.ts";
import { BUSY, DONE_ALREADY, NOT_FOUND, NOT_UNDERSTOOD, ORDER_IDS } from "./words.ts";

const NO_PARAMETERS = { type: "object", properties: {}, required: [] } as const;
const orderParameter = (description: string): ToolSchema["parameters"] => ({
  type: "object", properties: { order: { type: "string", description, enum: ORDER_IDS } }, required: ["order"],
});

export const TOOLS: readonly ToolSchema[] = [
  { name: "lookup_orders", description: "List the customer's orders: item, then order id", parameters: NO_PARAMETERS, mutates: false },
  {
    name: "check_ship_date", description: "Days since an order of the customer was shipped, or that it is pending",
    parameters: orderParameter("The order to check"), mutates: false,
  },
  { name: "ask_customer", description: "Ask the customer which order is meant", parameters: NO_PARAMETERS, mutates: false },
  { name: "refund", description: "Refund an order", parameters: orderParameter("The order to refund"), mutates: true },
  { name: "deny", description: "Record that the request is denied", parameters: NO_PARAMETERS, mutates: true },
  { name: "finish", description: "Close the case", parameters: NO_PARAMETERS, mutates: false },
];

/** What shaped rewards may pay for; each sub-goal once an episode. */
const EVENTS = {
  "listed-orders": 0.1,
  "asked-when-needed": 0.2,
  "checked-target": 0.2,
  "right-ending": 0.5,
  "wrong-change": -0.5,
  mistake: -0.1,
} as const;
const event = (id: keyof typeof EVENTS): TurnEvent => ({ id, weight: EVENTS[id] });

interface Result {
  readonly state: DeskState;
  readonly observation: Observation;
  readonly terminated?: boolean;
  readonly events?: readonly TurnEvent[];
}

const failure = (state: DeskState, reason: string): Result => ({
  state, observation: { kind: "error", content: { reason } }, events: reason === BUSY ? [] : [event("mistake")],
});

function lookUp(state: DeskState): Result {
  return {
    state: { ...state, listed: true },
    observation: { kind: "orders", content: ordersOfCustomer(state.database).map(({ item, id }): Json => ({ item, order: id })) },
    events: state.listed ? [] : [event("listed-orders")],
  };
}

/** Dates are shown for the customer's own orders only. */
function check(state: DeskState, id: Json | undefined): Result {
  const order = ordersOfCustomer(state.database).find((own) => own.id === id);
  if (order === undefined) return failure(state, NOT_FOUND);
  const repeated = state.checked.includes(order.id);
  return {
    state: repeated ? state : { ...state, checked: [...state.checked, order.id] },
    observation: order.age === null
      ? { kind: "pending", content: { order: order.id } }
      : { kind: "shipped", content: { order: order.id, age: String(order.age) } },
    events: !repeated && order.id === state.request.target ? [event("checked-target")] : [],
  };
}

function ask(state: DeskState): Result {
  const needed = !state.asked && state.request.kind === "ambiguous";
  return {
    state: { ...state, asked: true },
    observation: { kind: "user", content: answer(state) },
    events: needed ? [event("asked-when-needed")] : [],
  };
}

const untouched = ({ database }: DeskState): boolean => !database.denied && !database.orders.some(({ refunded }) => refunded);

/** Refunds whatever order has this id: whose it is and whether the policy allows it is for the agent to know. */
function refund(state: DeskState, id: Json | undefined): Result {
  const order = state.database.orders.find((known) => known.id === id);
  if (order === undefined) return failure(state, NOT_FOUND);
  if (order.refunded) return failure(state, DONE_ALREADY);
  const right = untouched(state) && order.id === state.request.target && !mustDeny(state.request, state.database);
  return {
    state: { ...state, database: refundOrder(state.database, order.id) },
    observation: { kind: "refunded", content: {} },
    events: [event(right ? "right-ending" : "wrong-change")],
  };
}

function deny(state: DeskState): Result {
  if (state.database.denied) return failure(state, DONE_ALREADY);
  const right = untouched(state) && mustDeny(state.request, state.database);
  return {
    state: { ...state, database: denyCase(state.database) },
    observation: { kind: "denied", content: {} },
    events: [event(right ? "right-ending" : "wrong-change")],
  };
}

/** What the call does when nothing fails. */
function call(state: DeskState, name: string, args: Readonly<Record<string, Json>>): Result {
  switch (name) {
    case "lookup_orders": return lookUp(state);
    case "check_ship_date": return check(state, args.order);
    case "ask_customer": return ask(state);
    case "refund": return refund(state, args.order);
    case "deny": return deny(state);
    case "finish": return { state, observation: { kind: "closed", content: {} }, terminated: true };
    default: return failure(state, NOT_UNDERSTOOD);
  }
}

const outcome = ({ state, observation, terminated = false, events = [] }: Result, probability: number): Outcome<DeskState> => ({
  probability, state, observation, terminated, events,
});

const mayFail = (name: string): boolean => name === "lookup_orders" || name === "check_ship_date";

/** The answer first, then, where the desk may be busy, that failure. Mistakes are answered, never thrown. */
export function outcomes(state: DeskState, action: Action): readonly Outcome<DeskState>[] {
  if (action.kind !== "tool") return [outcome(failure(state, NOT_UNDERSTOOD), 1)];
  const result = call(state, action.name, action.args);
  const answered = state.request.briefed ? { ...result, terminated: true } : result;
  const chance = mayFail(action.name) && !state.failed ? state.request.failureRate : 0;
  if (chance === 0) return [outcome(answered, 1)];
  return [outcome(answered, 1 - chance), outcome(failure({ ...state, failed: true }, BUSY), chance)];
}
