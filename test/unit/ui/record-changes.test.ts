import { expect, test } from "vitest";
import { callTool } from "#environments/tau-retail/call.ts";
import { readDatabase } from "#environments/tau-retail/database.ts";
import { recordChanges } from "../../../src/ui/data/record-changes.ts";
import { SHOP_FILES } from "../../fixtures/tau-shop.ts";

const shop = readDatabase(SHOP_FILES);

test("only what differs is told, by record and field; a new row of a list is one value", () => {
  const { database } = callTool(shop, {
    name: "modify_pending_order_items",
    kwargs: { order_id: "#W1", item_ids: ["201"], new_item_ids: ["202"], payment_method_id: "gift_card_1" },
  });
  expect(recordChanges(shop, database)).toEqual([
    { table: "users", id: "ann_lee_1", values: [{ path: "payment methods, gift card 1, balance", before: "40", after: "37.7" }] },
    {
      table: "orders",
      id: "#W1",
      values: [
        { path: "items 2, item id", before: "201", after: "202" },
        { path: "items 2, price", before: "7.3", after: "9.6" },
        { path: "items 2, options, size", before: "small", after: "large" },
        { path: "status", before: "pending", after: "pending (item modified)" },
        { path: "payment history 2", before: null, after: `transaction type payment, amount ${9.6 - 7.3}, payment method id gift_card_1` },
      ],
    },
  ]);
  expect(recordChanges(shop, shop)).toEqual([]);
});
