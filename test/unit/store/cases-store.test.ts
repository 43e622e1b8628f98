import { beforeEach, describe, expect, test } from "vitest";
import { createCasesStore, isOver, movesOf, type CasesStore } from "#store/cases-store.ts";
import { SHOP_FILES, SHOP_TASKS } from "../../fixtures/tau-shop.ts";

const file = (name: string, text: string) => ({ name, size: text.length, text: async () => text });
const ALL = [...Object.entries(SHOP_FILES).map(([name, text]) => file(`${name}.json`, text)), file("tasks.json", JSON.stringify(SHOP_TASKS))];
const modify = { name: "modify_pending_order_items", kwargs: { order_id: "#W1", item_ids: ["101"], new_item_ids: ["102"], payment_method_id: "paypal_1" } };

let cases: CasesStore;
beforeEach(() => {
  cases = createCasesStore();
});

describe("opening files", () => {
  test("in any order and number; the database is there once all three tables are", async () => {
    await cases.open(ALL.slice(1).toReversed());
    expect(cases.getState().database).toBe(null);
    expect(cases.getState().tasks).toHaveLength(2);
    await cases.open(ALL.slice(0, 1));
    expect(cases.getState().database?.users.size).toBe(2);
    expect(cases.getState().faults).toEqual([]);
  });

  test("what cannot be read leaves a sentence and changes nothing", async () => {
    await cases.open(ALL);
    cases.choose(1);
    const before = cases.getState();
    await cases.open([
      file("notes.txt", "hello"),
      { name: "huge.json", size: 2 ** 30, text: () => Promise.reject(new Error("must not be read")) },
      { name: "gone.json", size: 1, text: () => Promise.reject(new Error("the file is gone")) },
    ]);
    const { faults, ...rest } = cases.getState();
    expect(faults).toEqual([
      expect.stringMatching(/^notes\.txt is not JSON: .*\.$/),
      "huge.json has 1073741824 bytes; at most 33554432 are read.",
      "gone.json cannot be read: the file is gone.",
    ]);
    expect({ ...rest, faults: [] }).toEqual(before);
  });

  test("one good file among bad ones is taken", async () => {
    await cases.open([file("x", "{}"), ...ALL.slice(0, 1)]);
    expect(Object.keys(cases.getState().files)).toEqual(["users"]);
    expect(cases.getState().faults).toHaveLength(1);
  });
});

describe("acting as the agent", () => {
  beforeEach(() => cases.open(ALL));
  const moves = () => movesOf(cases.getState());

  test("each move goes on from the last; undo and start over go back", () => {
    cases.call(modify);
    cases.call(modify);
    cases.say("agent", "Done.");
    expect(moves().map(({ event }) => (event.kind === "call" ? event.failed : event.text))).toEqual([false, true, "Done."]);
    expect(moves()[1]?.before).toBe(moves()[0]?.after);
    expect(moves()[0]?.after.orders.get("#W1")?.status).toBe("pending (item modified)");
    expect(cases.getState().database?.orders.get("#W1")?.status).toBe("pending");
    cases.undo();
    expect(moves()).toHaveLength(2);
    cases.restart();
    expect(moves()).toEqual([]);
  });

  test("each task has moves of its own, and looking elsewhere loses none", () => {
    cases.call(modify);
    cases.choose(1);
    expect(moves()).toEqual([]);
    cases.show("act");
    cases.choose(0);
    expect(moves()).toHaveLength(1);
  });

  test("after the hand-over no move is taken, but it can be undone", () => {
    cases.call({ name: "transfer_to_human_agents", kwargs: { summary: "s" } });
    cases.call(modify);
    cases.say("customer", "hello?");
    expect(moves()).toHaveLength(1);
    expect(isOver(moves())).toBe(true);
    cases.undo();
    cases.call(modify);
    expect(moves()).toHaveLength(1);
    expect(isOver(moves())).toBe(false);
  });

  test("without a database nothing happens", () => {
    cases = createCasesStore();
    cases.call(modify);
    expect(moves()).toEqual([]);
  });

  test("the replay stays within its actions", () => {
    cases.goTo(99);
    expect(cases.getState().step).toBe(2);
    cases.goTo(-1);
    expect(cases.getState().step).toBe(0);
    cases.goTo(1);
    cases.choose(1);
    expect(cases.getState().step).toBe(0);
  });
});
