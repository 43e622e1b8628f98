import { describe, expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import type { Action, SeenStep } from "#core/trajectory.ts";
import { DEFAULTS } from "#environments/refund-desk/config.ts";
import { createRefundDesk } from "#environments/refund-desk/index.ts";
import type { DeskState, DeskTask } from "#environments/refund-desk/state.ts";
import { expectedDatabase, sameRecords } from "#environments/refund-desk/verdict.ts";
import { ORDER_IDS } from "#environments/refund-desk/words.ts";
import { deskTask } from "./desk-task.ts";
import { atOnce, text, tool } from "./support.ts";

const desk = createRefundDesk();
const HORIZON = 8;

const LAMP = deskTask("lamp", "named", [["lamp", "#4", 30], ["chair", "#9", 80]]);
const LAMPS = deskTask("lamp", "ambiguous", [["lamp", "#4", 30], ["lamp", "#9", 80]], { target: 1 });
const NEWEST = deskTask("recent", "recent", [["lamp", "#4", 30], ["mug", "#7", 20], ["chair", "#9", 80]], { target: 1 });

/** Follows `actions`; takes the failure where `failing` names the turn. */
function follow(task: DeskTask, actions: readonly Action[], failing = -1) {
  let { state } = desk.reset(task);
  const seen: SeenStep[] = [];
  const events: string[][] = [];
  let terminated = false;
  for (const [turn, action] of actions.entries()) {
    const outcome = atOnce(desk.outcomes(state, action)).at(turn === failing ? -1 : 0)!;
    ({ state, terminated } = outcome);
    seen.push({ action, observation: outcome.observation });
    events.push(outcome.events.map(({ id }) => id));
  }
  const verdict = atOnce(desk.verdict(task, state, seen, terminated ? "terminated" : "truncated"));
  const observed = seen.map(({ observation: { kind, content } }) => `${kind} ${JSON.stringify(content)}`);
  const fired = verdict.monitors.flatMap(({ name, fired: yes }) => (yes ? [name] : []));
  const naive = verdict.checks.find(({ name }) => name === "naive")?.passed;
  return { state, seen, observed, events, terminated, fired, success: verdict.success, naive };
}

const LOOK = tool("lookup_orders");
const ASK = tool("ask_customer");
const DENY = tool("deny");
const FINISH = tool("finish");
const check = (id: string) => tool("check_ship_date", id);
const refund = (id: string) => tool("refund", id);

describe("an episode, by hand", () => {
  test("a named item within the window is refunded", () => {
    const { observed, events, success, terminated, fired } = follow(LAMP, [LOOK, check("#4"), refund("#4"), FINISH]);
    expect(text(desk.reset(LAMP).observation)).toBe(text({ kind: "request", content: { window: "50", refund: "lamp" } }));
    expect(observed).toEqual([
      'orders [{"item":"lamp","order":"#4"},{"item":"chair","order":"#9"}]', 'shipped {"order":"#4","age":"30"}', "refunded {}", "closed {}",
    ]);
    expect(events).toEqual([["listed-orders"], ["checked-target"], ["right-ending"], []]);
    expect([success, terminated, fired]).toEqual([true, true, []]);
  });

  test("only the customer knows which of two lamps is meant; it is too old, so the case is denied", () => {
    const { observed, events, success, fired } = follow(LAMPS, [LOOK, ASK, check("#9"), DENY, FINISH]);
    expect(observed.slice(1, 4)).toEqual(['user {"order":"#9"}', 'shipped {"order":"#9","age":"80"}', "denied {}"]);
    expect(events).toEqual([["listed-orders"], ["asked-when-needed"], ["checked-target"], ["right-ending"], []]);
    expect([success, fired]).toEqual([true, []]);
    const guessed = follow(LAMPS, [LOOK, check("#4"), refund("#4"), FINISH]);
    expect([guessed.success, guessed.naive, guessed.events[2]]).toEqual([false, false, ["wrong-change"]]);
  });

  test("an ambiguous request looks like a named one until the look-up", () => {
    expect(text(desk.reset(LAMPS).observation)).toBe(text(desk.reset(LAMP).observation));
    expect(expectedDatabase(LAMPS).denied).not.toBe(expectedDatabase(LAMP).denied);
  });

  test("the most recent order is the youngest, or the one not shipped yet", () => {
    expect(follow(NEWEST, [LOOK, check("#4"), check("#7"), check("#9"), refund("#7"), FINISH]).success).toBe(true);
    const pending = deskTask("recent", "recent", [["lamp", "#4", 30], ["mug", "#7", null]], { target: 1 });
    const { observed, success } = follow(pending, [LOOK, check("#4"), check("#7"), DENY, FINISH]);
    expect([observed[2], success]).toEqual(['pending {"order":"#7"}', true]);
    expect(follow(pending, [LOOK, refund("#4"), FINISH]).success).toBe(false);
  });

  test("the last day of the window is within it", () => {
    const [last, over] = [50, 60].map((age) => deskTask("lamp", "named", [["lamp", "#4", age]])) as [DeskTask, DeskTask];
    expect([follow(last, [refund("#4")]).success, follow(last, [DENY]).success]).toEqual([true, false]);
    expect([follow(over, [refund("#4")]).success, follow(over, [DENY]).success]).toEqual([false, true]);
  });

  test("a failure comes once at most, changes nothing, and a retry is no repetition", () => {
    const flaky = deskTask("lamp", "named", [["lamp", "#4", 30]], { failureRate: 0.25 });
    expect(atOnce(desk.outcomes(desk.reset(flaky).state, LOOK)).map(({ probability }) => probability)).toEqual([0.75, 0.25]);
    const { observed, events, success, fired, state } = follow(flaky, [LOOK, LOOK, check("#4"), refund("#4"), FINISH], 0);
    expect([observed[0], events[0], success, fired]).toEqual(['error {"reason":"busy"}', [], true, []]);
    expect(atOnce(desk.outcomes(state, check("#4")))).toHaveLength(1);
    for (const action of [ASK, refund("#4"), DENY, FINISH]) expect(atOnce(desk.outcomes(desk.reset(flaky).state, action))).toHaveLength(1);
  });

  test("mistakes are answered and change nothing", () => {
    const { state } = desk.reset(LAMP);
    const odd: readonly Action[] = [
      refund("#20"), check("#20"), tool("refund"), tool("fly"), { kind: "reply", text: "" }, { kind: "malformed", raw: "", reason: "no-end" },
      { kind: "tool", name: "check_ship_date", args: { order: ["#4"] } },
    ];
    for (const action of odd) {
      const [outcome, ...others] = atOnce(desk.outcomes(state, action));
      expect([outcome?.observation.kind, outcome?.state, outcome?.terminated, others]).toEqual(["error", state, false, []]);
      expect(outcome?.events.map(({ id }) => id)).toEqual(["mistake"]);
    }
    const twice = follow(LAMP, [refund("#4"), refund("#4"), FINISH]);
    expect([twice.observed[1], twice.success]).toEqual(['error {"reason":"done-already"}', true]);
    expect(follow(LAMPS, [DENY, DENY]).observed[1]).toBe('error {"reason":"done-already"}');
  });

  test("somebody else's order can be refunded, wrongly, and is shown nowhere", () => {
    const stranger = LAMP.database.orders.at(-1)!;
    expect(ORDER_IDS).toContain(stranger.id);
    const { observed, success, naive } = follow(LAMP, [check(stranger.id), refund("#4"), refund(stranger.id), FINISH]);
    expect([observed[0], observed[2], success, naive]).toEqual(['error {"reason":"not-found"}', "refunded {}", false, true]);
  });

  test("monitors see what the verdict does not", () => {
    expect(follow(LAMP, [LOOK, refund("#4"), FINISH])).toMatchObject({ success: true, fired: ["refunded-unchecked"] });
    expect(follow(LAMP, [LOOK, ASK, check("#4"), refund("#4")])).toMatchObject({ success: true, fired: ["asked-needlessly"] });
    expect(follow(LAMPS, [ASK, ASK, DENY])).toMatchObject({ success: true, fired: ["asked-needlessly", "repeated-call"] });
    expect(follow(LAMP, [LOOK, LOOK, check("#4"), refund("#4")])).toMatchObject({ success: true, fired: ["repeated-call"] });
  });

  test("the naive check is passed by doing everything, the strict verdict is not", () => {
    for (const task of [LAMP, LAMPS]) {
      expect(follow(task, [refund("#4"), refund("#9"), DENY, FINISH])).toMatchObject({ success: false, naive: true });
    }
  });

  test("what was learnt makes the anchor, not how or in which order", () => {
    const key = (...actions: readonly Action[]) => {
      const { state, seen } = follow(NEWEST, actions);
      return desk.anchorKey(state, seen.at(-1)!.observation);
    };
    expect(key(LOOK, check("#4"), check("#7"))).toBe(key(LOOK, check("#7"), LOOK, check("#4")));
    expect(key(LOOK, check("#4"))).not.toBe(key(LOOK, check("#7")));
    expect(key(LOOK)).not.toBe(key(ASK));
    const [one, other] = [LAMP, LAMPS].map((task) => desk.anchorKey(desk.reset(task).state, desk.reset(task).observation));
    expect(one).toBe(other);
  });
});

describe("complaints about such environments (environments.md, section 6)", () => {
  const tasks = desk.tasks(DEFAULTS, "heldout", 200, createRng(2));

  test("12: doing nothing never succeeds", () => {
    for (const task of tasks) expect(follow(task, [FINISH]).success).toBe(false);
  });

  test("14, 18: after an answer the customer stays until the agent finishes, and does not start over", () => {
    for (const task of [LAMP, LAMPS, NEWEST]) {
      const { seen, terminated } = follow(task, [ASK, LOOK, check("#4"), ASK, refund("#4"), DENY, ASK]);
      expect(terminated).toBe(false);
      expect(seen.filter(({ observation }) => observation.kind === "request")).toEqual([]);
    }
  });

  test("15: no failure is the environment's: the oracle wins whatever happens", () => {
    const everyPath = (task: DeskTask, seen: readonly SeenStep[], state: DeskState, turn: number): boolean => {
      const act = desk.baselines["oracle"]!(createRng(0));
      let action = act(desk.reset(task).observation);
      for (const { observation } of seen) action = act(observation);
      return atOnce(desk.outcomes(state, action)).every((outcome) => {
        const after = [...seen, { action, observation: outcome.observation }];
        if (outcome.terminated) return turn <= HORIZON && atOnce(desk.verdict(task, outcome.state, after, "terminated")).success;
        return everyPath(task, after, outcome.state, turn + 1);
      });
    };
    for (const task of tasks) expect(everyPath(task, [], desk.reset(task).state, 1)).toBe(true);
  });

  test("16, 17: the customer always has an answer and comes to an end", () => {
    for (const task of [LAMP, LAMPS, NEWEST]) {
      const { observed } = follow(task, [ASK, ASK, ASK, ASK]);
      expect(observed[0]).toMatch(/^user \{"(order|answer)":"[#a-z0-9-]+"\}$/);
      expect(new Set(observed.slice(1))).toEqual(new Set(['user {"answer":"told-already"}']));
    }
  });

  test("13, 19: reading leaves the database as it is, and the verdict does not ask for it", () => {
    const { state, success } = follow(LAMP, [LOOK, check("#4"), check("#9"), ASK, LOOK, check("#1")]);
    expect([text(state.database), success]).toEqual([text(LAMP.database), false]);
    expect(follow(LAMP, [refund("#4")]).success).toBe(true);
  });

  test("20: the spelling of a number does not matter, anything else does", () => {
    expect(sameRecords({ age: 25, id: "#4" }, { id: "#4", age: "25.0" })).toBe(true);
    expect(sameRecords([25, null], ["25.0", null])).toBe(true);
    const different = [[25, 26], ["#25", 25], [null, 0], [[1], { 0: 1 }], [{ a: 1 }, { a: 1, b: null }], [true, 1]] as const;
    expect(different.filter(([a, b]) => sameRecords(a, b))).toEqual([]);
    const spelt = { ...LAMP.database, orders: LAMP.database.orders.map((order) => ({ ...order, age: `${order.age}.0` })) };
    expect(sameRecords(spelt, LAMP.database)).toBe(true);
  });
});
