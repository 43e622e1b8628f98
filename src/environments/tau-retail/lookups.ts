import type { Json } from "#core/trajectory.ts";
import type { Draft } from "./database.ts";
import { count, elements, equal, hashable, item, keyError, length, PythonError, text } from "./python.ts";
import type { Order, OrderItem, PaymentMethod, Product, User } from "./records.ts";

/** A tool's own refusal: the text that the agent sees. It is thrown so that a tool reads as its checks in order. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

export interface Found<R> {
  readonly id: string;
  readonly record: R;
}

/** The record of that id. @throws Refusal when there is none, PythonError when the key is a list or a dictionary. */
function find<R>(rows: ReadonlyMap<string, R>, key: Json, what: string): Found<R> {
  const id = hashable(key);
  const record = id === undefined ? undefined : rows.get(id);
  if (id === undefined || record === undefined) throw new Refusal(`Error: ${what} not found`);
  return { id, record };
}

export const findOrder = (draft: Draft, key: Json): Found<Order> => find(draft.orders, key, "order");
export const findUser = (draft: Draft, key: Json): Found<User> => find(draft.users, key, "user");
export const findProduct = (draft: Draft, key: Json): Found<Product> => find(draft.products, key, "product");

/** An order of exactly that status. @throws Refusal */
export function findOrderIn(draft: Draft, key: Json, status: "pending" | "delivered", done: string): Found<Order> {
  const order = findOrder(draft, key);
  if (order.record.status !== status) throw new Refusal(`Error: non-${status} order cannot be ${done}`);
  return order;
}

/** The customer of an order; a name that is not in the file raises in the original. */
export function ownerOf(draft: Draft, { user_id }: Order): Found<User> {
  const record = draft.users.get(user_id);
  if (record === undefined) throw keyError(user_id);
  return { id: user_id, record };
}

/** @throws Refusal unless the customer has a payment method of that id. */
export function findPaymentMethod({ payment_methods }: User, key: Json): Found<PaymentMethod> {
  return find(new Map(Object.entries(payment_methods)), key, "payment method");
}

/** Balance of what is taken for a gift card. */
export function balanceOf(method: PaymentMethod): number {
  if (method.balance === undefined) throw keyError("balance");
  return method.balance;
}

export const isGiftCard = ({ source }: PaymentMethod): boolean => source === "gift_card";

/** An item may be named as often as the order holds it. @throws Refusal with what `refusal` says of the first that may not. */
export function checkItems({ items }: Order, ids: Json, refusal: (id: string) => string): void {
  for (const id of elements(ids)) {
    if (count(ids, id) > items.filter((held) => equal(held.item_id, id)).length) throw new Refusal(refusal(text(id)));
  }
}

export const itemOf = (items: readonly OrderItem[], id: Json): OrderItem => {
  const found = items.find((held) => held.item_id === id);
  if (found === undefined) throw new PythonError("list index out of range");
  return found;
};

interface Replacement {
  readonly from: string;
  readonly to: string;
}

/**
 * Pairs each item with its replacement: another variant of the same product that is in stock.
 * @returns the pairs and the sum of new less old prices, in the order given, not rounded. @throws Refusal
 */
export function findReplacements(
  draft: Draft, order: Order, ids: Json, newIds: Json,
): { readonly replacements: readonly Replacement[]; readonly difference: number } {
  if (length(ids) !== length(newIds)) throw new Refusal("Error: the number of items to be exchanged should match");
  const replacements: Replacement[] = [];
  let difference = 0;
  const wanted = elements(newIds);
  for (const [index, id] of elements(ids).entries()) {
    const old = itemOf(order.items, id);
    const to = wanted[index] ?? null;
    const product = draft.products.get(old.product_id);
    const key = product === undefined ? undefined : hashable(to);
    if (product === undefined) throw keyError(old.product_id);
    const variant = key !== undefined && Object.hasOwn(product.variants, key) ? item(product.variants, key) : undefined;
    if (key === undefined || variant?.available !== true) throw new Refusal(`Error: new item ${text(to)} not found or available`);
    difference += variant.price - old.price;
    replacements.push({ from: old.item_id, to: key });
  }
  return { replacements, difference };
}
