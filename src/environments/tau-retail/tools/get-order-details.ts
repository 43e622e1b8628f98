import { findOrder } from "../lookups.ts";
import { ORDER_ID } from "../parameters.ts";
import { dumps } from "../python.ts";
import { defineTool } from "../tool.ts";

export const getOrderDetails = defineTool({
  name: "get_order_details",
  className: "GetOrderDetails",
  description: "Shows an order: items, status, payments, address.",
  parameters: { order_id: ORDER_ID },
  mutates: false,
  access: "customer",
  run: (draft, argument) => dumps(findOrder(draft, argument("order_id")).record),
});
