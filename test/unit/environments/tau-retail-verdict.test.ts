import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Json } from "#core/trajectory.ts";
import { callTool, type ToolCall } from "#environments/tau-retail/call.ts";
import { changedRecords, readDatabase, TABLES, type RetailDatabase } from "#environments/tau-retail/database.ts";
import { pairExpected, replayFaults } from "#environments/tau-retail/expected.ts";
import { readMonitors, type EpisodeEvent } from "#environments/tau-retail/monitors.ts";
import { says } from "#environments/tau-retail/outputs.ts";
import { endOf, replay } from "#environments/tau-retail/replay.ts";
import { readExpected, readTasks } from "#environments/tau-retail/tasks.ts";
import { judge, passesByDoingNothing } from "#environments/tau-retail/verdict.ts";
import { SHOP_FILES, SHOP_TASKS } from "../../fixtures/tau-shop.ts";
import { publishedFile } from "./tau-data.ts";

const shop = readDatabase(SHOP_FILES);
const [ann, bob] = readTasks(JSON.stringify(SHOP_TASKS), "tasks");
if (ann === undefined || bob === undefined) throw new Error("the shop has two tasks");

const after = (database: RetailDatabase, ...calls: readonly ToolCall[]): RetailDatabase => calls.reduce((now, call) => callTool(now, call).database, database);
const modify = (change: Readonly<Record<string, Json>> = {}): ToolCall => ({
  name: "modify_pending_order_items",
  kwargs: { order_id: "#W1", item_ids: ["101"], new_item_ids: ["102"], payment_method_id: "gift_card_1", ...change },
});

test("every published task replays exactly: each observation and each changed record", (context) => {
  const [users, orders, products, taskFile, expectedFile] = ["users.json", "orders.json", "products.json", "retail_tasks_dev.json", "retail_replay_expected_dev.jsonl"].map(publishedFile);
  if (users == null || orders == null || products == null || taskFile == null || expectedFile == null) return context.skip();
  const text = (path: string): string => readFileSync(path, "utf8");
  const database = readDatabase({ users: text(users), orders: text(orders), products: text(products) });
  const tasks = readTasks(text(taskFile), "tasks");
  const cases = pairExpected(tasks, readExpected(text(expectedFile), "expected"));
  expect(cases).toHaveLength(20);
  for (const { id, task, expected } of cases) {
    if (task === null || expected === null) throw new Error(`task ${id} has no partner`);
    const steps = replay(database, task.actions);
    expect(replayFaults(database, steps, expected), `task ${id}`).toEqual([]);
    expect(judge(database, task, endOf(database, steps), task.outputs).success, `task ${id}`).toBe(true);
  }
  // An agent that does nothing passes one of them, and no task is passed by the end of another that changes something.
  expect(tasks.filter((task) => passesByDoingNothing(database, task))).toHaveLength(1);
  const [first, second] = tasks;
  expect(first !== undefined && second !== undefined && judge(database, first, endOf(database, replay(database, second.actions)), []).success).toBe(false);
});

describe("verdict", () => {
  test("the end state and every output decide, both of them (tau-bench #16)", () => {
    const done = after(shop, modify());
    expect(judge(shop, ann, done, ["It costs $5.30 more."])).toEqual({ success: true, records: [], outputs: [{ output: "5.3", said: true }] });
    expect(judge(shop, ann, done, ["Done."])).toMatchObject({ success: false, records: [], outputs: [{ said: false }] });
    expect(judge(shop, ann, shop, ["It costs 5.3 more."]).success).toBe(false);
    expect(judge(shop, ann, shop, []).records).toEqual([
      { table: "users", id: "ann_lee_1", fault: "payment_methods.gift_card_1.balance: got 40, expected 34.7" },
      { table: "orders", id: "#W1", fault: expect.stringMatching(/^items\.0\.item_id: got "101", expected "102"$/) },
    ]);
  });

  test("a change that is not in the reference fails, and is named", () => {
    const moved = after(shop, { name: "modify_user_address", kwargs: { user_id: "bob_ray_2", address1: "x", address2: "", city: "", state: "", country: "", zip: "" } });
    expect(judge(shop, bob, moved, [])).toMatchObject({ success: false, records: [{ table: "users", id: "bob_ray_2" }] });
    expect(judge(shop, bob, shop, []).success).toBe(true);
    expect([passesByDoingNothing(shop, ann), passesByDoingNothing(shop, bob)]).toEqual([false, true]);
  });

  test("reads, refusals and undoing leave no trace; grading leaves the state as it was", () => {
    const read = after(shop, { name: "get_order_details", kwargs: { order_id: "#W1" } }, modify({ order_id: "#W3" }), modify());
    const before = JSON.stringify(TABLES.map((table) => [...read[table]]));
    expect(judge(shop, ann, read, ["5.3"]).success).toBe(true);
    expect(JSON.stringify(TABLES.map((table) => [...read[table]]))).toBe(before);
    const home = { ...shop.users.get("bob_ray_2")?.address, user_id: "bob_ray_2" };
    expect(changedRecords(shop, after(shop, { name: "modify_user_address", kwargs: home })).users.size).toBe(0);
  });

  test("the order of pairs does not matter (tau2-bench #325)", () => {
    const pairs = (item_ids: readonly string[], new_item_ids: readonly string[]): ToolCall => modify({ order_id: "#W2", item_ids, new_item_ids, payment_method_id: "paypal_1" });
    const task = { ...bob, actions: [pairs(["101", "102"], ["104", "105"])] };
    expect(judge(shop, task, after(shop, pairs(["102", "101"], ["105", "104"])), []).success).toBe(true);
    expect(judge(shop, task, after(shop, pairs(["102", "101"], ["104", "105"])), []).success).toBe(false);
  });

  test("a hand-over in the reference is passed over, and what follows it counts", () => {
    const actions = [{ name: "transfer_to_human_agents", kwargs: { summary: "s" } }, modify()];
    const steps = replay(shop, actions);
    expect(steps.map(({ observation }) => observation === null)).toEqual([true, false]);
    expect(judge(shop, { ...ann, actions }, after(shop, modify()), ["5.3"]).success).toBe(true);
  });
});

describe("outputs are said as whole tokens", () => {
  test.each([
    ["10", "You have 100 points", false], ["10", "You have 10 points", true], ["10", "It is 10.", true], ["10", "10.5 hours", false], ["10", "(10)", true],
    ["10", "-10", false], ["10", "5-10 days", true], ["-10", "it is -10 now", true], ["10", "x10", false], ["10", "10x", false],
    ["54.04", "$54.04!", true], ["54.04", "$54.041", false], ["54.1", "$54.10", true], ["54.10", "54.1", true], ["1093.34", "a total of $1,093.34.", true],
    ["1,093", "1093", true], ["1093", "10,93", false], ["007", "7", false], ["-5.5", "−$5.50 back", true],
    ["Credit Card", "by credit card.", true], ["credit card", "credit cards", false], ["camera", "The CAMERA, sir", true], ["camera", "cameraman", false],
    ["t-shirt", "one T-shirt", true], ["café", "the café", true], ["#W123", "order #W1234", false], ["#W123", "order #W123", true],
    ["***", "a *** b", true], ["***", "a b", false],
  ])("%j in %j: %s", (output, message, said) => {
    expect(says([message], output)).toBe(said);
  });

  test("in one message, not across two", () => {
    expect(says(["credit", "card"], "credit card")).toBe(false);
    expect(says(["no", "credit card"], "credit card")).toBe(true);
  });
});

describe("policy monitors stand apart from the verdict", () => {
  const did = (name: string, kwargs: Readonly<Record<string, Json>>): EpisodeEvent => {
    const { observation, failed } = callTool(shop, { name, kwargs });
    return { kind: "call", call: { name, kwargs }, observation, failed };
  };
  const said = (by: "agent" | "customer", text: string): EpisodeEvent => ({ kind: "said", by, text });
  const find = did("find_user_id_by_email", { email: "ann@example.com" });
  const change = did(modify().name, modify().kwargs);
  const broken = (...events: readonly EpisodeEvent[]): readonly string[] =>
    readMonitors(shop, events, true).flatMap((reading) => (reading.broken.length > 0 ? [`${reading.id} ${reading.broken.join(" ")}`] : []));

  test("nothing is broken when the customer is found and says yes", () => {
    expect(broken(find, did("get_user_details", { user_id: "ann_lee_1" }), said("agent", "Blue for red?"), said("customer", "Yes, please."), change)).toEqual([]);
    expect(broken(did("list_all_product_types", {}), did("calculate", { expression: "1" }), find)).toEqual([]);
  });

  test.each<[string, readonly EpisodeEvent[], readonly string[]]>([
    ["reading first", [did("get_order_details", { order_id: "#W1" }), find], ["authenticated 0"]],
    ["a failed search", [did("find_user_id_by_email", { email: "x" }), did("get_user_details", { user_id: "ann_lee_1" })], ["authenticated 1"]],
    ["another's order", [find, did("get_order_details", { order_id: "#W5" })], ["one-customer 1"]],
    ["another's search", [find, did("find_user_id_by_email", { email: "bob@example.com" })], ["one-customer 1"]],
    ["no yes", [find, said("customer", "Is that dear?"), change], ["confirmed 2"]],
    ["a no", [find, said("customer", "No, it is not ok"), change], ["confirmed 2"]],
    ["one yes for two changes", [find, said("customer", "ok"), change, change], ["confirmed 3"]],
    ["a refused change needs no yes", [find, did("cancel_pending_order", { order_id: "#W1", reason: "whim" })], []],
    ["the same item", [find, said("customer", "yes"), did(modify().name, { ...modify().kwargs, new_item_ids: ["101"] })], ["another-item 2"]],
    ["after the hand-over", [find, did("transfer_to_human_agents", { summary: "" }), did("think", { thought: "" })], ["after-hand-over 2"]],
  ])("%s", (_what, events, found) => {
    expect(broken(...events)).toEqual(found);
  });

  test("without a conversation nothing is said of a yes", () => {
    expect(readMonitors(shop, [find, change], false).find(({ id }) => id === "confirmed")).toEqual({ id: "confirmed", seen: false, broken: [] });
  });
});
