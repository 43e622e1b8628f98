import { balanceOf, checkItems, findOrderIn, findPaymentMethod, findReplacements, isGiftCard, ownerOf, Refusal } from "../lookups.ts";
import { itemIds, ORDER_ID, PAYMENT_METHOD_ID } from "../parameters.ts";
import { dumps, roundCents, sorted } from "../python.ts";
import { defineTool } from "../tool.ts";

export const exchangeDeliveredOrderItems = defineTool({
  name: "exchange_delivered_order_items",
  className: "ExchangeDeliveredOrderItems",
  description: "Asks for items of a delivered order to be exchanged for other variants of the same products; once per order.",
  parameters: {
    order_id: ORDER_ID,
    item_ids: itemIds("Items to give back; the same id as often as it is meant."),
    new_item_ids: itemIds("What to get for each, in the same order."),
    payment_method_id: PAYMENT_METHOD_ID,
  },
  mutates: true,
  access: "customer",
  run(draft, argument) {
    const { id, record: order } = findOrderIn(draft, argument("order_id"), "delivered", "exchanged");
    checkItems(order, argument("item_ids"), (missing) => `Error: ${missing} not found`);
    const difference = roundCents(findReplacements(draft, order, argument("item_ids"), argument("new_item_ids")).difference);

    const { id: methodId, record: method } = findPaymentMethod(ownerOf(draft, order).record, argument("payment_method_id"));
    if (isGiftCard(method) && balanceOf(method) < difference) {
      throw new Refusal("Error: insufficient gift card balance to pay for the price difference");
    }
    const exchanged = {
      ...order,
      status: "exchange requested",
      exchange_items: sorted(argument("item_ids")),
      exchange_new_items: sorted(argument("new_item_ids")),
      exchange_payment_method_id: methodId,
      exchange_price_difference: difference,
    };
    draft.putOrder(id, exchanged);
    return dumps(exchanged);
  },
});
