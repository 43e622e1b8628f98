import { balanceOf, checkItems, findOrderIn, findPaymentMethod, findReplacements, isGiftCard, itemOf, ownerOf, Refusal } from "../lookups.ts";
import { itemIds, ORDER_ID, PAYMENT_METHOD_ID } from "../parameters.ts";
import { dumps, item, keyError, roundCents } from "../python.ts";
import { defineTool } from "../tool.ts";

export const modifyPendingOrderItems = defineTool({
  name: "modify_pending_order_items",
  className: "ModifyPendingOrderItems",
  description: "Changes items of a pending order to other variants of the same products; afterwards nothing else can be changed.",
  parameters: {
    order_id: ORDER_ID,
    item_ids: itemIds("Items to replace; the same id as often as it is meant."),
    new_item_ids: itemIds("What replaces each, in the same order."),
    payment_method_id: PAYMENT_METHOD_ID,
  },
  mutates: true,
  access: "customer",
  run(draft, argument) {
    const { id, record: order } = findOrderIn(draft, argument("order_id"), "pending", "modified");
    checkItems(order, argument("item_ids"), (missing) => `Error: ${missing} not found`);
    const { replacements, difference } = findReplacements(draft, order, argument("item_ids"), argument("new_item_ids"));

    const { id: userId, record: user } = ownerOf(draft, order);
    const { id: methodId, record: method } = findPaymentMethod(user, argument("payment_method_id"));
    if (isGiftCard(method)) {
      if (balanceOf(method) < difference) throw new Refusal("Error: insufficient gift card balance to pay for the new item");
      const balance = roundCents(balanceOf(method) - difference);
      draft.putUser(userId, { ...user, payment_methods: { ...user.payment_methods, [methodId]: { ...method, balance } } });
    }
    // The amount keeps its float dust; only the balance is rounded.
    const row = { transaction_type: difference > 0 ? "payment" : "refund", amount: Math.abs(difference), payment_method_id: methodId };

    // One after the other: an item that has just got the id of a later pair is found by it.
    const items = [...order.items];
    for (const { from, to } of replacements) {
      const old = itemOf(items, from);
      const product = draft.products.get(old.product_id);
      if (product === undefined) throw keyError(old.product_id);
      const { price, options } = item(product.variants, to);
      items[items.indexOf(old)] = { ...old, item_id: to, price, options };
    }
    const modified = { ...order, items, status: "pending (item modified)", payment_history: [...order.payment_history, row] };
    draft.putOrder(id, modified);
    return dumps(modified);
  },
});
