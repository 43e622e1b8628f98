import { describe, expect, test } from "vitest";
import { TaskError } from "#core/errors.ts";
import { readUntrustedJson } from "#core/untrusted-json.ts";
import { readDatabase } from "#environments/tau-retail/database.ts";
import { difference } from "#environments/tau-retail/difference.ts";
import { pairExpected, replayFaults } from "#environments/tau-retail/expected.ts";
import { readCaseFile } from "#environments/tau-retail/files.ts";
import { replay } from "#environments/tau-retail/replay.ts";
import { readExpected, readTasks } from "#environments/tau-retail/tasks.ts";
import { SHOP, SHOP_FILES, SHOP_TASKS } from "../../fixtures/tau-shop.ts";

const json = (text: string) => () => readUntrustedJson(text, { name: "f.json", maxLength: 1000 });

describe("JSON of a stranger", () => {
  test.each([
    ["cut off", '{"a": 1', /^f\.json is not JSON: /],
    ["empty", "", /^f\.json is not JSON: /],
    ["NaN", '{"a": NaN}', /^f\.json is not JSON: /],
    ["terminal commands", '\u001b[2Jx', /^f\.json is not JSON: \P{Cc}*$/u],
    ["too long", `"${"x".repeat(1000)}"`, /^f\.json has 1002 characters; at most 1000 are read$/],
    ["too deep", "[".repeat(40) + "]".repeat(40), /^f\.json is nested deeper than 32$/],
    ["a prototype", '{"a": {"__proto__": {"polluted": true}}}', /^f\.json has the key "__proto__", which is not allowed$/],
    ["a constructor", '[{"constructor": {"prototype": {}}}]', /^f\.json has the key "(constructor|prototype)", which is not allowed$/],
    ["beyond floats", '{"a": 1e999}', /^f\.json holds a number beyond ±9007199254740991, which is not exact$/],
    ["beyond whole numbers", "[-9007199254740993]", /^f\.json holds a number beyond/],
  ])("%s is refused with the file's name", (_what, text, message) => {
    expect(json(text)).toThrow(TaskError);
    expect(json(text)).toThrow(message);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test("nesting by the million ends in an error, not in a full stack", () => {
    const deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
    expect(() => readUntrustedJson(deep, { name: "f", maxLength: 1e7 })).toThrow(TaskError);
  });

  test("a byte order mark is passed over, and what is allowed comes out", () => {
    expect(json('\uFEFF{"a": [9007199254740991, 0.1, null]}')()).toEqual({ a: [9007199254740991, 0.1, null] });
  });
});

describe("a database of the wrong shape is refused by file, record and field", () => {
  const changed = (table: keyof typeof SHOP_FILES, from: string, to: string) => () => {
    expect(SHOP_FILES[table], "the fault is planted").toContain(from);
    return readDatabase({ ...SHOP_FILES, [table]: SHOP_FILES[table].replace(from, to) });
  };
  test.each<[keyof typeof SHOP_FILES, string, string, RegExp]>([
    ["users", '"balance":40', '"balance":"40"', /^users\.json, record "ann_lee_1": payment_methods\.gift_card_1\.balance should be number, got \\?"40\\?"$/],
    ["users", '"email":"ann@example.com"', '"mail":""', /^users\.json, record "ann_lee_1": email should be/],
    ["orders", '"status":"pending"', '"status":null', /^orders\.json, record "#W1": status should be string, got null$/],
    ["orders", '"price":20.1', '"price":[]', /^orders\.json, record "#W1": items\.0\.price should be number, got Array$/],
    ["products", '"available":true', '"available":"yes"', /^products\.json, record "100": variants\.101\.available should be boolean/],
    ["products", '"variants":{}', '"variants":[1]', /^products\.json, record "300": variants should be Object, got Array$/],
  ])("%s: %s → %s", (table, from, to, message) => {
    expect(changed(table, from, to)).toThrow(message);
  });

  test("a list is no table", () => {
    expect(() => readDatabase({ ...SHOP_FILES, orders: "[]" })).toThrow(/^orders\.json must be an object of records by id$/);
  });

  test("unknown fields are kept", () => {
    const database = readDatabase({ ...SHOP_FILES, users: SHOP_FILES.users.replace('"email"', '"age":41,"email"') });
    expect(database.users.get("ann_lee_1")).toEqual({ ...SHOP.users.ann_lee_1, age: 41 });
  });
});

describe("task files", () => {
  const task = { user_id: "u", instruction: "i", actions: [{ name: "think", kwargs: { thought: "t" } }] };
  const read = (value: unknown) => readTasks(JSON.stringify(value), "t.json");

  test("outputs may be left out; other fields are left out", () => {
    expect(read([{ ...task, annotator: "x" }])).toEqual([{ ...task, outputs: [] }]);
  });

  test.each([
    ["an object", { task }, /^t\.json: should be Array, got Object$/],
    ["arguments as a list", [{ ...task, actions: [{ name: "think", kwargs: [] }] }], /^t\.json: 0\.actions\.0\.kwargs should be Object, got Array$/],
    ["no name", [{ ...task, actions: [{ kwargs: {} }] }], /^t\.json: 0\.actions\.0\.name should be/],
    ["numbers as outputs", [{ ...task, outputs: [5] }], /^t\.json: 0\.outputs\.0 should be string, got 5$/],
    ["too many actions", [{ ...task, actions: Array.from({ length: 1001 }, () => task.actions[0]) }], /^t\.json: 0\.actions should be <=1000, got 1001$/],
  ])("%s: refused by place and field", (_what, value, message) => {
    expect(() => read(value)).toThrow(message);
  });

  test("files are told by what they hold", () => {
    expect(Object.values(SHOP_FILES).map((text) => readCaseFile(text, "x").kind)).toEqual(["users", "orders", "products"]);
    expect(readCaseFile(JSON.stringify(SHOP_TASKS), "x").kind).toBe("tasks");
    expect(() => readCaseFile("{}", "x.json")).toThrow("x.json is neither a table of users, orders or products nor a list of tasks");
    expect(() => readCaseFile("5", "x.json")).toThrow(TaskError);
  });
});

describe("expected replays", () => {
  const database = readDatabase(SHOP_FILES);
  const tasks = readTasks(JSON.stringify(SHOP_TASKS), "t");
  const steps = replay(database, tasks[0]?.actions ?? []);
  const final = steps[1]?.after ?? database;
  const good = {
    task_id: 0,
    observations: steps.map(({ observation }) => observation),
    changed: { users: Object.fromEntries([["ann_lee_1", final.users.get("ann_lee_1")]]), orders: Object.fromEntries([["#W1", final.orders.get("#W1")]]), products: {} },
  };
  const faults = (row: object): readonly string[] => {
    const [expected] = readExpected(JSON.stringify(row), "e");
    if (expected === undefined) throw new Error("no row");
    return replayFaults(database, steps, expected);
  };

  test("the replay itself has no fault, however numbers are written and keys ordered", () => {
    expect(faults(good)).toEqual([]);
    const reversed = `{${steps[1]?.observation?.slice(1, -1).split(/, (?="status"|"payment_history")/).toReversed().join(", ")}}`.replace("25.4,", "25.40,");
    expect(faults({ ...good, observations: ["ann_lee_1", reversed] })).toEqual([]);
  });

  test.each<[string, object, RegExp]>([
    ["another text", { observations: ["ann_lee_2", good.observations[1]] }, /^action 1 \(find_user_id_by_name_zip\): got "ann_lee_1", expected "ann_lee_2"$/],
    ["a number beside it", { observations: ["ann_lee_1", good.observations[1]?.replace("25.4", "25.41")] }, /^action 2 \(modify_pending_order_items\): items\.0\.price: got 25\.4, expected 25\.41$/],
    ["one too few", { observations: ["ann_lee_1"] }, /^2 actions, but 1 observations are expected$/],
    ["no observation", { observations: ["ann_lee_1", null] }, /^action 2 .* expected none$/],
    ["a record left out", { changed: { ...good.changed, users: {} } }, /^users "ann_lee_1": changed, but should not$/],
    ["a record too many", { changed: { ...good.changed, orders: { ...good.changed.orders, "#W9": {} } } }, /^orders "#W9": got nothing, expected {}$/],
    ["a field too many", { changed: { ...good.changed, orders: { "#W1": { ...final.orders.get("#W1"), note: 1 } } } }, /^orders "#W1": note: got nothing, expected 1$/],
  ])("%s is one fault", (_what, change, message) => {
    const found = faults({ ...good, ...change });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
  });

  test("a line that cannot be read is named by its number", () => {
    expect(() => readExpected(`${JSON.stringify(good)}\n\n{"task_id": 1}\n`, "e.jsonl")).toThrow(/^e\.jsonl, line 3: observations should be/);
    expect(() => readExpected(JSON.stringify({ ...good, changed: [] }), "e.jsonl")).toThrow(/^e\.jsonl, line 1: changed should be Object, got Array$/);
    expect(() => readExpected("{\n", "e.jsonl")).toThrow(/^e\.jsonl, line 1 is not JSON/);
  });

  test("tasks and expectations meet by the task's own id, by place, or line by line", () => {
    const row = (task_id: number | string) => ({ ...good, task_id });
    const rows = (...ids: readonly (number | string)[]) => readExpected(ids.map((id) => JSON.stringify(row(id))).join("\n"), "e");
    const own = readTasks(JSON.stringify(SHOP_TASKS.map((task, place) => ({ ...task, task_id: `t${place}` }))), "t");
    const pairs = (paired: ReturnType<typeof pairExpected>) => paired.map(({ id, task, expected }) => [id, task?.user_id ?? null, expected?.task_id ?? null]);
    expect(pairs(pairExpected(own, rows("t1", "t0")))).toEqual([["t0", "ann_lee_1", "t0"], ["t1", "bob_ray_2", "t1"]]);
    expect(pairs(pairExpected(tasks, rows(1, 0)))).toEqual([[0, "ann_lee_1", 0], [1, "bob_ray_2", 1]]);
    expect(pairs(pairExpected(tasks, rows(1)))).toEqual([[0, "ann_lee_1", null], [1, "bob_ray_2", 1]]);
    expect(pairs(pairExpected(tasks, rows(70, 71)))).toEqual([[70, "ann_lee_1", 70], [71, "bob_ray_2", 71]]);
    expect(() => pairExpected(tasks, rows(7))).toThrow(/name tasks that the task file does not hold/);
    expect(() => pairExpected(tasks, rows(0, 0, 1))).toThrow(/comes twice/);
  });
});

test("differences name the first place; 70 and 70.0 are one number, and lists keep their order", () => {
  expect(difference({ a: 70, b: [1, 2] }, JSON.parse('{"b": [1, 2.0], "a": 70.0}'))).toBe(null);
  expect(difference({ a: 0.1 + 0.2 }, { a: 0.3 })).toBe(null);
  expect(difference({ a: [1, { b: "x" }] }, { a: [1, { b: "y" }] })).toBe('a.1.b: got "x", expected "y"');
  expect(difference([1, 2], [2, 1])).toBe("0: got 1, expected 2");
  expect(difference({}, { a: null })).toBe("a: got nothing, expected null");
  expect(difference({ toString: 1 }, {})).toBe("toString: got 1, expected nothing");
});
