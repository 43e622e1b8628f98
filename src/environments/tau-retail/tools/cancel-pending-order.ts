import { balanceOf, findOrderIn, ownerOf, Refusal } from "../lookups.ts";
import { ORDER_ID } from "../parameters.ts";
import { dumps, item, roundCents } from "../python.ts";
import { defineTool } from "../tool.ts";

const REASONS = ["no longer needed", "ordered by mistake"] as const;

export const cancelPendingOrder = defineTool({
  name: "cancel_pending_order",
  className: "CancelPendingOrder",
  description: "Cancels a pending order and refunds every payment: to a gift card at once, otherwise within days.",
  parameters: {
    order_id: ORDER_ID,
    reason: { type: "string", enum: REASONS, description: "Why the customer cancels." },
  },
  mutates: true,
  access: "customer",
  run(draft, argument) {
    const { id, record: order } = findOrderIn(draft, argument("order_id"), "pending", "cancelled");
    const reason = REASONS.find((known) => known === argument("reason"));
    if (reason === undefined) throw new Refusal("Error: invalid reason");

    // Every row of the history is refunded, refunds too: the original does not look at their type.
    const refunds = order.payment_history.map(({ amount, payment_method_id }) => ({ transaction_type: "refund", amount, payment_method_id }));
    for (const { amount, payment_method_id } of refunds) {
      if (!payment_method_id.includes("gift_card")) continue;
      const { id: userId, record: user } = ownerOf(draft, order);
      const card = item(user.payment_methods, payment_method_id);
      const balance = roundCents(balanceOf(card) + amount);
      draft.putUser(userId, { ...user, payment_methods: { ...user.payment_methods, [payment_method_id]: { ...card, balance } } });
    }
    const cancelled = { ...order, status: "cancelled", payment_history: [...order.payment_history, ...refunds], cancel_reason: reason };
    draft.putOrder(id, cancelled);
    return dumps(cancelled);
  },
});
