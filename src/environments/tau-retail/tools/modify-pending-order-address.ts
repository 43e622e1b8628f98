import { findOrderIn } from "../lookups.ts";
import { ADDRESS, ORDER_ID } from "../parameters.ts";
import { dumps } from "../python.ts";
import { defineTool } from "../tool.ts";

export const modifyPendingOrderAddress = defineTool({
  name: "modify_pending_order_address",
  className: "ModifyPendingOrderAddress",
  description: "Changes where a pending order is sent.",
  parameters: { order_id: ORDER_ID, ...ADDRESS },
  mutates: true,
  access: "customer",
  run(draft, argument) {
    const { id, record: order } = findOrderIn(draft, argument("order_id"), "pending", "modified");
    const address = {
      address1: argument("address1"), address2: argument("address2"), city: argument("city"),
      state: argument("state"), country: argument("country"), zip: argument("zip"),
    };
    const modified = { ...order, address };
    draft.putOrder(id, modified);
    return dumps(modified);
  },
});
