import { checkItems, findOrderIn, findPaymentMethod, ownerOf, Refusal } from "../lookups.ts";
import { itemIds, ORDER_ID, PAYMENT_METHOD_ID } from "../parameters.ts";
import { dumps, first, sorted } from "../python.ts";
import { defineTool } from "../tool.ts";

export const returnDeliveredOrderItems = defineTool({
  name: "return_delivered_order_items",
  className: "ReturnDeliveredOrderItems",
  description: "Asks for items of a delivered order to be taken back; refunds go to the first payment method or to a gift card.",
  parameters: {
    order_id: ORDER_ID,
    item_ids: itemIds("Items to give back; the same id as often as it is meant."),
    payment_method_id: PAYMENT_METHOD_ID,
  },
  mutates: true,
  access: "customer",
  run(draft, argument) {
    const { id, record: order } = findOrderIn(draft, argument("order_id"), "delivered", "returned");
    const { id: methodId } = findPaymentMethod(ownerOf(draft, order).record, argument("payment_method_id"));
    if (!methodId.includes("gift_card") && methodId !== first(order.payment_history).payment_method_id) {
      throw new Refusal("Error: payment method should be either the original payment method or a gift card");
    }
    checkItems(order, argument("item_ids"), () => "Error: some item not found");
    const returned = {
      ...order,
      status: "return requested",
      return_items: sorted(argument("item_ids")),
      return_payment_method_id: methodId,
    };
    draft.putOrder(id, returned);
    return dumps(returned);
  },
});
