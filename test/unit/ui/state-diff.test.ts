import { expect, test } from "vitest";
import { isChanged, stateDiff } from "#ui/inspector/state-diff.ts";

const desk = (refunded: readonly string[], denied = false) => ({
  policy: { window: 40 },
  orders: [
    { id: "#7", item: "lamp", refunded: refunded.includes("#7") },
    { id: "#9", item: "lamp", refunded: refunded.includes("#9") },
  ],
  denied,
});

test("a state that stays as it is has every value and no change", () => {
  const diff = stateDiff(desk([]), desk([]));
  expect(diff.changed).toBe(0);
  expect(diff.values.map(({ name, after }) => [name, after])).toEqual([["Policy window", "40"], ["Denied", "no"]]);
  expect(diff.tables[0]).toMatchObject({ name: "Orders", columns: ["id", "item", "refunded"] });
});

test("a refund is one changed cell in its row", () => {
  const { changed, tables } = stateDiff(desk([]), desk(["#9"]));
  expect(changed).toBe(1);
  const rows = tables[0]?.rows ?? [];
  expect(rows.map(({ key, cells }) => [key, cells.filter(isChanged)])).toEqual([["#7", []], ["#9", [{ name: "refunded", before: "no", after: "yes" }]]]);
});

test("a single value that changes is counted too", () => {
  expect(stateDiff(desk([]), desk([], true))).toMatchObject({ changed: 1, values: [{ name: "Policy window" }, { name: "Denied", before: "no", after: "yes" }] });
});

test("records that come and go are found by their id, whatever their order", () => {
  const { tables } = stateDiff({ orders: [{ id: "a", n: 1 }, { id: "b", n: 2 }] }, { orders: [{ id: "c", n: 3 }, { id: "b", n: 2 }] });
  const changes = tables[0]?.rows.map(({ key, cells }) => [key, cells.map(({ before, after }) => `${before} ${after}`)]);
  expect(changes).toEqual([["a", ["a null", "1 null"]], ["b", ["b b", "2 2"]], ["c", ["null c", "null 3"]]]);
});

test("names of a program's state are told in words", () => {
  const { values } = stateDiff({ errorsSwallowed: false, expectedValuesWritten: false }, { errorsSwallowed: true, expectedValuesWritten: false });
  expect(values.map(({ name }) => name)).toEqual(["Errors swallowed", "Expected values written"]);
});

test("states without structure are compared as they are", () => {
  expect(stateDiff(null, null)).toMatchObject({ changed: 0, tables: [] });
  expect(stateDiff({ basket: ["x"] }, { basket: ["x", "y"] }).values).toEqual([{ name: "Basket", before: "x", after: "x, y" }]);
});
