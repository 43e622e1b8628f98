import { balanceOf, findOrderIn, findPaymentMethod, isGiftCard, ownerOf, Refusal } from "../lookups.ts";
import { ORDER_ID, PAYMENT_METHOD_ID } from "../parameters.ts";
import { dumps, first, item, roundCents } from "../python.ts";
import type { Order } from "../records.ts";
import type { Draft } from "../database.ts";
import { defineTool } from "../tool.ts";

export const modifyPendingOrderPayment = defineTool({
  name: "modify_pending_order_payment",
  className: "ModifyPendingOrderPayment",
  description: "Pays a pending order by another method and refunds the first one; a gift card must cover the whole amount.",
  parameters: { order_id: ORDER_ID, payment_method_id: PAYMENT_METHOD_ID },
  mutates: true,
  access: "customer",
  run(draft, argument) {
    const { id, record: order } = findOrderIn(draft, argument("order_id"), "pending", "modified");
    const { id: methodId, record: method } = findPaymentMethod(ownerOf(draft, order).record, argument("payment_method_id"));
    if (order.payment_history.length > 1 || first(order.payment_history).transaction_type !== "payment") {
      throw new Refusal("Error: there should be exactly one payment for a pending order");
    }
    const { payment_method_id: oldId, amount } = first(order.payment_history);
    if (oldId === methodId) throw new Refusal("Error: the new payment method should be different from the current one");
    if (isGiftCard(method) && balanceOf(method) < amount) throw new Refusal("Error: insufficient gift card balance to pay for the order");

    const rows = [
      { transaction_type: "payment", amount, payment_method_id: methodId },
      { transaction_type: "refund", amount, payment_method_id: oldId },
    ];
    const modified = { ...order, payment_history: [...order.payment_history, ...rows] };
    // Before the balances: they may raise, and the rows stay.
    draft.putOrder(id, modified);
    if (isGiftCard(method)) addToBalance(draft, order, methodId, -amount);
    if (oldId.includes("gift_card")) addToBalance(draft, order, oldId, amount);
    return dumps(modified);
  },
});

function addToBalance(draft: Draft, order: Order, methodId: string, amount: number): void {
  const { id, record: user } = ownerOf(draft, order);
  const card = item(user.payment_methods, methodId);
  const balance = roundCents(balanceOf(card) + amount);
  draft.putUser(id, { ...user, payment_methods: { ...user.payment_methods, [methodId]: { ...card, balance } } });
}
