import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Json } from "#core/trajectory.ts";
import { callTool } from "#environments/tau-retail/call.ts";
import { changedRecords, readDatabase, type RetailDatabase } from "#environments/tau-retail/database.ts";
import { openAiFunction } from "#environments/tau-retail/tool.ts";
import { RETAIL_TOOLS } from "#environments/tau-retail/tools/registry.ts";
import { SHOP, SHOP_FILES } from "../../fixtures/tau-shop.ts";
import { publishedFile } from "./tau-data.ts";

const shop = readDatabase(SHOP_FILES);
type Kwargs = Readonly<Record<string, Json>>;
const call = (name: string, kwargs: Kwargs, database: RetailDatabase = shop) => callTool(database, { name, kwargs });
const seen = (name: string, kwargs: Kwargs, database: RetailDatabase = shop): string => call(name, kwargs, database).observation;
const record = (name: string, kwargs: Kwargs, database: RetailDatabase = shop) => JSON.parse(seen(name, kwargs, database));

const HOME = { address1: "9 Oak", address2: "", city: "Reno", state: "NV", country: "USA", zip: "89501" };
const exchange = (change: Kwargs = {}): Kwargs => ({ order_id: "#W3", item_ids: ["101"], new_item_ids: ["102"], payment_method_id: "credit_card_1", ...change });
const modify = (change: Kwargs = {}): Kwargs => ({ order_id: "#W1", item_ids: ["101"], new_item_ids: ["102"], payment_method_id: "paypal_1", ...change });
const giveBack = (change: Kwargs = {}): Kwargs => ({ order_id: "#W3", item_ids: ["201"], payment_method_id: "credit_card_1", ...change });

describe("every refusal, in the words of the published tools, changes nothing", () => {
  test.each<[string, Kwargs, string]>([
    ["find_user_id_by_email", { email: "nobody@example.com" }, "Error: user not found"],
    ["find_user_id_by_name_zip", { first_name: "Ann", last_name: "Lee", zip: "80219" }, "Error: user not found"],
    ["get_user_details", { user_id: "ann" }, "Error: user not found"],
    ["get_order_details", { order_id: "W1" }, "Error: order not found"],
    ["get_product_details", { product_id: "101" }, "Error: product not found"],
    ["calculate", { expression: "2 ^ 3" }, "Error: invalid characters in expression"],
    ["cancel_pending_order", { order_id: "#W9", reason: "no longer needed" }, "Error: order not found"],
    ["cancel_pending_order", { order_id: "#W4", reason: "whim" }, "Error: non-pending order cannot be cancelled"],
    ["cancel_pending_order", { order_id: "#W1", reason: "whim" }, "Error: invalid reason"],
    ["modify_pending_order_address", { order_id: "#W9", ...HOME }, "Error: order not found"],
    ["modify_pending_order_address", { order_id: "#W3", ...HOME }, "Error: non-pending order cannot be modified"],
    ["modify_user_address", { user_id: "cy", ...HOME }, "Error: user not found"],
    ["modify_pending_order_payment", { order_id: "#W9", payment_method_id: "paypal_1" }, "Error: order not found"],
    ["modify_pending_order_payment", { order_id: "#W3", payment_method_id: "paypal_1" }, "Error: non-pending order cannot be modified"],
    ["modify_pending_order_payment", { order_id: "#W1", payment_method_id: "paypal_2" }, "Error: payment method not found"],
    ["modify_pending_order_payment", { order_id: "#W1", payment_method_id: "gift_card_1" }, "Error: the new payment method should be different from the current one"],
    ["modify_pending_order_payment", { order_id: "#W1", payment_method_id: "gift_card_2" }, "Error: insufficient gift card balance to pay for the order"],
    ["modify_pending_order_items", modify({ order_id: "#W9" }), "Error: order not found"],
    ["modify_pending_order_items", modify({ order_id: "#W3" }), "Error: non-pending order cannot be modified"],
    ["modify_pending_order_items", modify({ item_ids: ["101", "101"] }), "Error: 101 not found"],
    ["modify_pending_order_items", modify({ new_item_ids: ["102", "202"] }), "Error: the number of items to be exchanged should match"],
    ["modify_pending_order_items", modify({ new_item_ids: ["103"] }), "Error: new item 103 not found or available"],
    ["modify_pending_order_items", modify({ new_item_ids: ["202"] }), "Error: new item 202 not found or available"],
    ["modify_pending_order_items", modify({ payment_method_id: "paypal_2" }), "Error: payment method not found"],
    ["modify_pending_order_items", modify({ new_item_ids: ["105"], payment_method_id: "gift_card_2" }), "Error: insufficient gift card balance to pay for the new item"],
    ["exchange_delivered_order_items", exchange({ order_id: "#W9" }), "Error: order not found"],
    ["exchange_delivered_order_items", exchange({ order_id: "#W1" }), "Error: non-delivered order cannot be exchanged"],
    ["exchange_delivered_order_items", exchange({ item_ids: ["102"] }), "Error: 102 not found"],
    ["exchange_delivered_order_items", exchange({ new_item_ids: [] }), "Error: the number of items to be exchanged should match"],
    ["exchange_delivered_order_items", exchange({ new_item_ids: ["103"] }), "Error: new item 103 not found or available"],
    ["exchange_delivered_order_items", exchange({ payment_method_id: "paypal_2" }), "Error: payment method not found"],
    ["exchange_delivered_order_items", exchange({ payment_method_id: "gift_card_2" }), "Error: insufficient gift card balance to pay for the price difference"],
    ["return_delivered_order_items", giveBack({ order_id: "#W9" }), "Error: order not found"],
    ["return_delivered_order_items", giveBack({ order_id: "#W1" }), "Error: non-delivered order cannot be returned"],
    ["return_delivered_order_items", giveBack({ payment_method_id: "paypal_2" }), "Error: payment method not found"],
    ["return_delivered_order_items", giveBack({ payment_method_id: "paypal_1" }), "Error: payment method should be either the original payment method or a gift card"],
    ["return_delivered_order_items", giveBack({ item_ids: ["201", "201", "201"] }), "Error: some item not found"],
  ])("%s %j", (name, kwargs, refusal) => {
    const result = call(name, kwargs);
    expect(result).toEqual({ observation: refusal, failed: true, ended: false, database: shop });
    expect(result.database).toBe(shop);
  });
});

describe("calls of the wrong shape fail as Python fails", () => {
  test.each<[string, Kwargs, string]>([
    ["refund", { order_id: "#W1" }, "Unknown action refund"],
    ["respond", { content: "hello" }, "Unknown action respond"],
    ["think", {}, "Error: Think.invoke() missing 1 required positional argument: 'thought'"],
    ["cancel_pending_order", {}, "Error: CancelPendingOrder.invoke() missing 2 required positional arguments: 'order_id' and 'reason'"],
    ["return_delivered_order_items", {}, "Error: ReturnDeliveredOrderItems.invoke() missing 3 required positional arguments: 'order_id', 'item_ids', and 'payment_method_id'"],
    ["get_order_details", { id: "#W1" }, "Error: GetOrderDetails.invoke() got an unexpected keyword argument 'id'"],
    ["list_all_product_types", { page: 1 }, "Error: ListAllProductTypes.invoke() got an unexpected keyword argument 'page'"],
    ["think", { thought: "x", data: 1 }, "Error: tau_bench.envs.retail.tools.think.Think.invoke() got multiple values for keyword argument 'data'"],
    ["get_order_details", { order_id: ["#W1"] }, "Error: unhashable type: 'list'"],
    ["get_order_details", { order_id: null }, "Error: order not found"],
    ["get_user_details", { user_id: {} }, "Error: unhashable type: 'dict'"],
    ["find_user_id_by_email", { email: 5 }, "Error: 'int' object has no attribute 'lower'"],
    ["find_user_id_by_email", { email: null }, "Error: 'NoneType' object has no attribute 'lower'"],
    ["calculate", { expression: 4 }, "Error: 'int' object is not iterable"],
    ["calculate", { expression: ["1"] }, "Error: eval() arg 1 must be a string, bytes or code object"],
    ["return_delivered_order_items", giveBack({ item_ids: null }), "Error: 'NoneType' object is not iterable"],
    ["return_delivered_order_items", giveBack({ item_ids: "201" }), "Error: some item not found"],
    ["exchange_delivered_order_items", exchange({ item_ids: "101" }), "Error: 1 not found"],
    ["exchange_delivered_order_items", exchange({ item_ids: { "101": 1 } }), "Error: 'dict' object has no attribute 'count'"],
    ["exchange_delivered_order_items", exchange({ item_ids: [true] }), "Error: True not found"],
    ["exchange_delivered_order_items", exchange({ new_item_ids: 1 }), "Error: object of type 'int' has no len()"],
    ["exchange_delivered_order_items", exchange({ new_item_ids: [["102"]] }), "Error: unhashable type: 'list'"],
    ["exchange_delivered_order_items", exchange({ new_item_ids: [null] }), "Error: new item None not found or available"],
  ])("%s %j", (name, kwargs, text) => {
    expect(call(name, kwargs)).toEqual({ observation: text, failed: true, ended: false, database: shop });
  });

  test("names that reach a prototype are names like any other", () => {
    for (const id of ["__proto__", "constructor", "toString"]) {
      expect(seen("get_order_details", { order_id: id })).toBe("Error: order not found");
      expect(seen("return_delivered_order_items", giveBack({ payment_method_id: id }))).toBe("Error: payment method not found");
      expect(seen("exchange_delivered_order_items", exchange({ new_item_ids: [id] }))).toBe(`Error: new item ${id} not found or available`);
    }
    expect(seen("constructor", {})).toBe("Unknown action constructor");
  });
});

describe("reads", () => {
  test("customers are found whatever the case of their name and address", () => {
    expect(seen("find_user_id_by_email", { email: "BOB@EXAMPLE.COM" })).toBe("bob_ray_2");
    expect(seen("find_user_id_by_name_zip", { first_name: "aNN", last_name: "LEE", zip: "80218" })).toBe("ann_lee_1");
  });

  test("records come out as they went in, printed as Python prints", () => {
    expect(record("get_order_details", { order_id: "#W3" })).toEqual(SHOP.orders["#W3"]);
    expect(seen("get_product_details", { product_id: "300" })).toBe('{"name": "\\u00c4ngel", "product_id": "300", "variants": {}}');
    expect(seen("list_all_product_types", {})).toBe('{"Cup": "200", "Lamp": "100", "\\u00c4ngel": "300"}');
  });

  test("no read changes the database", () => {
    const reads = RETAIL_TOOLS.filter(({ mutates }) => !mutates);
    expect(reads).toHaveLength(9);
    for (const { name, parameters } of reads) {
      const kwargs = Object.fromEntries(Object.keys(parameters).map((key) => [key, key === "order_id" ? "#W1" : "ann_lee_1"]));
      expect(call(name, kwargs).database, name).toBe(shop);
    }
  });
});

describe("changes", () => {
  test("cancelling refunds every row, to a gift card at once", () => {
    const { database } = call("cancel_pending_order", { order_id: "#W1", reason: "ordered by mistake" });
    expect(database.orders.get("#W1")).toMatchObject({
      status: "cancelled", cancel_reason: "ordered by mistake",
      payment_history: [{ transaction_type: "payment", amount: 27.4 }, { transaction_type: "refund", amount: 27.4, payment_method_id: "gift_card_1" }],
    });
    expect(database.users.get("ann_lee_1")?.payment_methods["gift_card_1"]?.balance).toBe(67.4);
    expect(seen("cancel_pending_order", { order_id: "#W1", reason: "no longer needed" }, database)).toBe("Error: non-pending order cannot be cancelled");
    expect(shop.orders.get("#W1")?.status, "the database that was given is as it was").toBe("pending");
  });

  test("an order paid anew is refunded three times over when it is cancelled, as in the original", () => {
    const paid = call("modify_pending_order_payment", { order_id: "#W1", payment_method_id: "paypal_1" }).database;
    expect(paid.users.get("ann_lee_1")?.payment_methods["gift_card_1"]?.balance).toBe(67.4);
    expect(seen("modify_pending_order_payment", { order_id: "#W1", payment_method_id: "credit_card_1" }, paid)).toBe("Error: there should be exactly one payment for a pending order");
    const cancelled = call("cancel_pending_order", { order_id: "#W1", reason: "no longer needed" }, paid).database;
    expect(cancelled.orders.get("#W1")?.payment_history.map((row) => row.transaction_type)).toEqual(["payment", "payment", "refund", "refund", "refund", "refund"]);
    expect(cancelled.users.get("ann_lee_1")?.payment_methods["gift_card_1"]?.balance).toBe(122.2);
  });

  test("a gift card pays the whole order", () => {
    const rich = readDatabase({ ...SHOP_FILES, users: SHOP_FILES.users.replace('"balance":40', '"balance":65.6') });
    const { database } = call("modify_pending_order_payment", { order_id: "#W2", payment_method_id: "gift_card_1" }, rich);
    expect(database.users.get("ann_lee_1")?.payment_methods["gift_card_1"]?.balance).toBe(0);
  });

  test("addresses are replaced as a whole, of the order or of the customer, by whatever is given", () => {
    expect(record("modify_pending_order_address", { order_id: "#W1", ...HOME, zip: 5 }).address).toEqual({ ...HOME, zip: 5 });
    const { database } = call("modify_user_address", { user_id: "ann_lee_1", ...HOME });
    expect(database.users.get("ann_lee_1")?.address).toEqual(HOME);
    expect(database.orders).toBe(shop.orders);
  });

  test("each of two modified items gets its own price and options (tau2-bench #317)", () => {
    const { database } = call("modify_pending_order_items", modify({ item_ids: ["101", "201"], new_item_ids: ["102", "202"] }));
    expect(database.orders.get("#W1")).toMatchObject({
      status: "pending (item modified)",
      items: [{ name: "Lamp", item_id: "102", price: 25.4, options: { color: "blue" } }, { name: "Cup", item_id: "202", price: 9.6, options: { size: "large" } }],
    });
    for (const [name, kwargs] of [["modify_pending_order_items", modify({ item_ids: [], new_item_ids: [] })], ["cancel_pending_order", { order_id: "#W1", reason: "no longer needed" }], ["modify_pending_order_address", { order_id: "#W1", ...HOME }]] as const) {
      expect(seen(name, kwargs, database)).toMatch(/^Error: non-pending order cannot be/);
    }
  });

  test("the amount keeps its float dust, the balance does not", () => {
    const { database } = call("modify_pending_order_items", modify({ payment_method_id: "gift_card_1" }));
    expect(database.orders.get("#W1")?.payment_history[1]).toEqual({ transaction_type: "payment", amount: 25.4 - 20.1, payment_method_id: "gift_card_1" });
    expect(25.4 - 20.1).not.toBe(5.3);
    expect(database.users.get("ann_lee_1")?.payment_methods["gift_card_1"]?.balance).toBe(34.7);
  });

  test("a cheaper item and an equal one are refunds", () => {
    expect(record("modify_pending_order_items", modify({ new_item_ids: ["104"] })).payment_history[1]).toMatchObject({ transaction_type: "refund", amount: 20.1 - 18.35 });
    expect(record("modify_pending_order_items", modify({ new_item_ids: ["101"] })).payment_history[1]).toMatchObject({ transaction_type: "refund", amount: 0 });
  });

  test("items are replaced one after the other: one that has just got a later pair's id is found by it", () => {
    const ids = (item_ids: readonly string[], new_item_ids: readonly string[]): readonly string[] =>
      record("modify_pending_order_items", modify({ order_id: "#W2", item_ids, new_item_ids })).items.map((held: { item_id: string }) => held.item_id);
    expect(ids(["101", "101"], ["104", "105"])).toEqual(["104", "105", "102"]);
    expect(ids(["101", "102"], ["102", "104"])).toEqual(["104", "101", "102"]);
  });

  test("an exchange is asked for: sorted lists, a rounded difference, and no money moves", () => {
    const { database } = call("exchange_delivered_order_items", exchange({ item_ids: ["201", "101"], new_item_ids: ["202", "102"] }));
    expect(database.orders.get("#W3")).toEqual({
      ...SHOP.orders["#W3"], status: "exchange requested", exchange_items: ["101", "201"], exchange_new_items: ["102", "202"],
      exchange_payment_method_id: "credit_card_1", exchange_price_difference: 7.6,
    });
    expect(database.users).toBe(shop.users);
  });

  test("a return may go to a gift card, and hold an item as often as the order", () => {
    expect(record("return_delivered_order_items", giveBack({ item_ids: ["201", "101", "201"], payment_method_id: "gift_card_2" }))).toMatchObject({
      status: "return requested", return_items: ["101", "201", "201"], return_payment_method_id: "gift_card_2",
    });
  });

  test("what was written before a tool raised stays written", () => {
    const torn = readDatabase({ ...SHOP_FILES, orders: SHOP_FILES.orders.replace('"amount":27.4,"payment_method_id":"gift_card_1"}', '"amount":27.4,"payment_method_id":"gift_card_1"},{"transaction_type":"payment","amount":1,"payment_method_id":"gift_card_9"}') });
    const { observation, database } = call("cancel_pending_order", { order_id: "#W1", reason: "no longer needed" }, torn);
    expect(observation).toBe("Error: 'gift_card_9'");
    expect(database.orders.get("#W1")?.status).toBe("pending");
    expect([...changedRecords(torn, database).users.keys()]).toEqual(["ann_lee_1"]);
  });
});

test("thinking gives nothing back; handing over ends the episode", () => {
  expect(call("think", { thought: "hm" })).toEqual({ observation: "", failed: false, ended: false, database: shop });
  expect(call("transfer_to_human_agents", { summary: "s" })).toEqual({ observation: "Transfer successful", failed: false, ended: true, database: shop });
});

describe("sums, as Python 3.11 gave them", () => {
  test.each([
    ["54.04", "54.04"], ["4", "4.0"], ["1 + 2 * (3 - 4.5)", "-2.0"], ["0.125", "0.12"], ["0.375", "0.38"], ["-0.125", "-0.12"], ["90000000000000.125", "90000000000000.12"], ["84146182401734035656372/94698992", "888564710400867.1"], ["2.675", "2.67"], ["-1.5*0", "-0.0"],
    ["1000000000000000", "1000000000000000.0"], ["10000000000000000", "1e+16"], ["2**70", "1.1805916207174113e+21"], ["7//2", "3.0"], ["-7//2", "-4.0"],
    ["7.5//2", "3.0"], ["-2**2", "-4.0"], ["2**-1", "0.5"], ["2**3**2", "512.0"], ["- - 3", "3.0"], ["00", "0.0"], ["1.5.2", "Error: invalid syntax (<string>, line 1)"],
    ["100000000000000000000000000000000000000001/3", "3.3333333333333335e+40"],
    ["1/0", "Error: division by zero"], ["1.0/0", "Error: float division by zero"], ["1//0", "Error: integer division or modulo by zero"],
    ["0**-1", "Error: 0.0 cannot be raised to a negative power"], ["(-8)**0.5", "Error: float() argument must be a string or a real number, not 'complex'"],
    ["10.0**400", "Error: (34, 'Numerical result out of range')"], ["2**5000", "Error: int too large to convert to float"],
    ["", "Error: invalid syntax (<string>, line 0)"], ["1 +", "Error: invalid syntax (<string>, line 1)"], ["(1", "Error: '(' was never closed (<string>, line 1)"],
    ["1)", "Error: unmatched ')' (<string>, line 1)"], ["(1 2)", "Error: invalid syntax. Perhaps you forgot a comma? (<string>, line 1)"],
    ["012", "Error: leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers (<string>, line 1)"],
    ["2(3)", "Error: 'int' object is not callable"], ["...", "Error: float() argument must be a string or a real number, not 'ellipsis'"],
  ])("%s = %s", (expression, result) => {
    expect(seen("calculate", { expression })).toBe(result);
  });

  test.each(["9**9**9", "-".repeat(1999), "(".repeat(2000), "1".repeat(1_000_000), `1${"**1".repeat(600)}`])("no sum takes long or breaks out (%#)", (expression) => {
    expect(seen("calculate", { expression })).toMatch(/^(Error: |1\.0$)/);
  });
});

test("names, arguments and their types are those of the published schemas", (context) => {
  const path = publishedFile("retail_tool_schemas.json");
  if (path === null) return context.skip();
  type Properties = Record<string, { type: string; enum?: readonly string[]; items?: object }>;
  interface Published {
    readonly function: { readonly name: string; readonly parameters: { readonly properties: Properties; readonly required: readonly string[] } };
  }
  const published: readonly Published[] = JSON.parse(readFileSync(path, "utf8"));
  const shape = ({ function: { name, parameters } }: Published | ReturnType<typeof openAiFunction>) => ({
    name,
    required: parameters.required,
    properties: Object.entries(parameters.properties).map(([key, property]) => [key, { ...property, description: null }]),
  });
  expect(RETAIL_TOOLS.map(openAiFunction).map(shape)).toEqual(published.map(shape));
});
