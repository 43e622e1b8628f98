import { describe, expect, test } from "vitest";
import type { World } from "#core/environment.ts";
import { TaskError } from "#core/errors.ts";
import { choose, createRng, drawFrom } from "#core/rng.ts";
import type { Action, SeenStep } from "#core/trajectory.ts";
import { clerk } from "#environments/refund-desk/clerk.ts";
import { DEFAULTS, type RefundDeskConfig } from "#environments/refund-desk/config.ts";
import { slipsAt } from "#environments/refund-desk/demonstrator.ts";
import { createRefundDesk } from "#environments/refund-desk/index.ts";
import { isEligible } from "#environments/refund-desk/prior.ts";
import { ordersOfCustomer, type DeskState, type DeskTask } from "#environments/refund-desk/state.ts";
import { deskTask } from "./desk-task.ts";
import { atOnce, filtered, text, tool } from "./support.ts";

const desk = createRefundDesk();
type Worlds = readonly World<DeskTask, DeskState>[];

const after = (config: RefundDeskConfig, task: DeskTask, seen: readonly SeenStep[], limit = 50) =>
  desk.worlds(config, task, desk.reset(task).observation, seen, createRng(1), limit);

/** Every prefix of an episode of actions that need not be sensible: state and steps so far. */
function histories(task: DeskTask, seed: number): { readonly seen: readonly SeenStep[]; readonly state: DeskState }[] {
  const rng = createRng(seed).fork(task.id);
  const sensible = clerk(slipsAt(0))(rng.fork("agent"));
  const ids = task.database.orders.map(({ id }) => id);
  const odd = (): Action => choose(rng, [
    tool("lookup_orders"), tool("ask_customer"), tool("deny"), tool("refund", "#1"),
    tool("refund", choose(rng, ids)), tool("check_ship_date", choose(rng, ids)),
  ]);
  let { state, observation } = desk.reset(task);
  const all: { seen: readonly SeenStep[]; state: DeskState }[] = [{ seen: [], state }];
  for (let turn = 0; turn < 7; turn += 1) {
    const wanted = sensible(observation);
    const action = rng.next() < 0.3 ? odd() : wanted;
    const outcomes = atOnce(desk.outcomes(state, action));
    const outcome = outcomes[drawFrom(rng, outcomes.map(({ probability }) => probability))]!;
    ({ state, observation } = outcome);
    all.push({ seen: [...(all.at(-1)?.seen ?? []), { action, observation }], state });
    if (outcome.terminated) break;
  }
  return all;
}

/** From world to probability. */
const byWorld = (worlds: Worlds): Map<string, number> => new Map(worlds.map(({ probability, state }) => [text(state), probability]));

const expectSame = (got: Worlds, wanted: Worlds): void => {
  const [a, b] = [byWorld(got), byWorld(wanted)];
  expect(new Set(a.keys())).toEqual(new Set(b.keys()));
  for (const [world, probability] of a) expect(probability).toBeCloseTo(b.get(world) ?? -1, 9);
};

const chance = (worlds: Worlds, of: (task: DeskTask) => boolean): number =>
  worlds.reduce((sum, { task, probability }) => sum + (of(task) ? probability : 0), 0);

const meantIsEligible = ({ request, database }: DeskTask): boolean =>
  isEligible(database.orders.find(({ id }) => id === request.target)?.age ?? null, request.window);

describe("after the first look-up", () => {
  const config = { ...DEFAULTS, maxOrders: 2, failureRate: 0.2 };
  const cases = desk.tasks(config, "train", 60, createRng(2)).map((task) => ({ task, steps: histories(task, 5) }));
  const listedFrom = (steps: ReturnType<typeof histories>) => steps.filter(({ state }) => state.listed);

  test("the worlds of a longer history are those of the shorter one, filtered through what can happen", () => {
    let compared = 0;
    for (const { task, steps } of cases) {
      const listed = listedFrom(steps);
      for (const [index, { seen }] of listed.slice(1).entries()) {
        const before = after(config, task, listed[index]!.seen);
        const now = after(config, task, seen);
        expect([before.exhaustive, now.exhaustive]).toEqual([true, true]);
        expectSame(now.worlds, filtered(desk, before.worlds, seen.at(-1)!));
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(100);
  });

  test("the truth is among them, with the very state the episode is in", () => {
    for (const { task, steps } of cases) {
      for (const { seen, state } of listedFrom(steps)) {
        const { worlds } = after(config, task, seen);
        expect(worlds.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 9);
        expect(worlds.filter((world) => world.task.id === task.id).map((world) => text(world.state))).toEqual([text(state)]);
      }
    }
  });

  test("every world is a task that would have looked the same, and sees the same worlds", () => {
    for (const { task, steps } of cases.slice(0, 10)) {
      const { seen } = listedFrom(steps)[0] ?? { seen: [] };
      const { worlds } = after(config, task, seen);
      for (const world of worlds.slice(0, 5)) {
        let { state } = desk.reset(world.task);
        for (const step of seen) {
          const outcome = atOnce(desk.outcomes(state, step.action)).find(({ observation }) => text(observation) === text(step.observation));
          expect(outcome).toBeDefined();
          state = outcome!.state;
        }
        expect(text(state)).toBe(text(world.state));
        expect(text(after(config, world.task, seen))).toBe(text(after(config, task, seen)));
      }
    }
  });

  test("by hand: two lamps, one too old; the customer's answer and the dates decide", () => {
    const task = deskTask("lamp", "ambiguous", [["lamp", "#4", 30], ["lamp", "#9", 80]], { target: 1, failureRate: 0.1 });
    const seen: SeenStep[] = [];
    const see = (action: Action) => {
      const state = seen.reduce((now, step) => atOnce(desk.outcomes(now, step.action))[0]!.state, desk.reset(task).state);
      seen.push({ action, observation: atOnce(desk.outcomes(state, action))[0]!.observation });
      return after(DEFAULTS, task, seen).worlds;
    };
    const listed = see(tool("lookup_orders"));
    expect(listed).toHaveLength(200);
    expect(chance(listed, meantIsEligible)).toBeCloseTo(0.6, 9);
    const dated = see(tool("check_ship_date", "#4"));
    expect(dated).toHaveLength(20);
    expect(chance(dated, meantIsEligible)).toBeCloseTo(0.5 + 0.5 * 0.6, 9);
    const told = see(tool("ask_customer"));
    expect(told).toHaveLength(10);
    expect(chance(told, ({ request }) => request.target === "#9")).toBeCloseTo(1, 9);
    expect(chance(told, ({ database }) => database.orders[1]?.status === "pending")).toBeCloseTo(0.4 * 0.4, 9);
    expect(see(tool("check_ship_date", "#9"))).toHaveLength(1);
  });

  test("the prior is what tasks are drawn from", () => {
    const drawn = desk.tasks({ ...DEFAULTS, maxOrders: 2 }, "train", 16_000, createRng(3));
    const band = (age: number | null, window: number) => (age === null ? "pending" : age <= window ? "within" : "beyond");
    const shape = ({ request, database }: DeskTask) => {
      const own = ordersOfCustomer(database);
      return `${own.map(({ age }) => band(age, request.window)).join(" ")} ${own.findIndex(({ id }) => id === request.target)}`;
    };
    const bins = (weighted: readonly (readonly [DeskTask, number])[]) => {
      const found = new Map<string, number>();
      for (const [task, weight] of weighted) found.set(shape(task), (found.get(shape(task)) ?? 0) + weight);
      return found;
    };
    for (const kind of ["recent", "named", "ambiguous"]) {
      for (const window of [20, 80]) {
        const some = drawn.filter(({ request }) => request.kind === kind && request.window === window)
          .filter(({ database }) => ordersOfCustomer(database).length === 2)
          .filter(({ request, database }) => kind !== "named" || database.orders[0]?.item === request.wanted);
        const [first] = some as [DeskTask];
        const action = tool("lookup_orders");
        const { observation } = atOnce(desk.outcomes(desk.reset(first).state, action))[0]!;
        const prior = bins(after(DEFAULTS, first, [{ action, observation }]).worlds.map(({ task, probability }) => [task, probability]));
        const got = bins(some.map((task) => [task, 1 / some.length]));
        const distance = [...prior].reduce((sum, [key, probability]) => sum + Math.abs(probability - (got.get(key) ?? 0)), 0) / 2;
        expect(some.length).toBeGreaterThan(200);
        expect([...got.keys()].filter((key) => !prior.has(key))).toEqual([]);
        expect(distance).toBeLessThan(0.1);
      }
    }
  });
});

describe("before the first look-up", () => {
  const lamp = deskTask("lamp", "named", [["lamp", "#4", 30], ["chair", "#9", 80]], { failureRate: 0.1 });
  const lamps = deskTask("lamp", "ambiguous", [["lamp", "#4", 30], ["lamp", "#9", 80]], { target: 1, failureRate: 0.1 });
  const ambiguous = ({ request }: DeskTask): boolean => request.kind === "ambiguous";
  const step = (name: string, order: string | undefined, kind: string, content: SeenStep["observation"]["content"]): SeenStep =>
    ({ action: tool(name, order), observation: { kind, content } });
  const weights = (seen: readonly SeenStep[], limit = 4000) => after(DEFAULTS, lamp, seen, limit).worlds;

  test("as many worlds as asked for are drawn, and a failure says nothing about them", () => {
    const { worlds, exhaustive } = after(DEFAULTS, lamp, [], 70);
    expect([worlds.length, exhaustive, worlds.every(({ probability }) => Math.abs(probability - 1 / 70) < 1e-12)]).toEqual([70, false, true]);
    expect(text(after(DEFAULTS, lamps, [], 70))).toBe(text({ worlds, exhaustive }));
    const failed = after(DEFAULTS, lamp, [step("lookup_orders", undefined, "error", { reason: "busy" })], 70).worlds;
    expect(failed.every(({ state }) => state.failed && !state.listed)).toBe(true);
    expect(failed.map(({ task }) => task)).toEqual(worlds.map(({ task }) => task));
  });

  test("the prior", () => {
    const worlds = weights([]);
    expect(chance(worlds, ambiguous)).toBeCloseTo(0.35 / 0.7, 1);
    expect(Math.abs(chance(worlds, ambiguous) - 0.35 / 0.7)).toBeLessThan(0.03);
    expect(Math.abs(chance(worlds, meantIsEligible) - 0.6)).toBeLessThan(0.03);
  });

  test("the customer's answer fixes the kind and the id, a date fixes the age", () => {
    expect(chance(weights([step("ask_customer", undefined, "user", { answer: "as-said" })], 200), ambiguous)).toBe(0);
    const asked = step("ask_customer", undefined, "user", { order: "#9" });
    const told = weights([asked, step("check_ship_date", "#9", "shipped", { order: "#9", age: "80" })], 200);
    expect(told).toHaveLength(200);
    expect(chance(told, (task) => ambiguous(task) && task.request.target === "#9" && !meantIsEligible(task))).toBeCloseTo(1, 9);
    expect(told.every(({ state }) => state.asked && state.checked.join() === "#9")).toBe(true);
  });

  /** Named requests have 1 to 3 orders (mean 2), ambiguous ones 2 or 3 (mean 2.5). */
  test("an id that is found speaks for many orders, one that is not for few", () => {
    const found = weights([step("check_ship_date", "#7", "pending", { order: "#7" })]);
    expect(Math.abs(chance(found, ambiguous) - (0.35 * 2.5) / (0.35 * 2.5 + 0.35 * 2))).toBeLessThan(0.03);
    expect(chance(found, ({ database }) => ordersOfCustomer(database).some(({ id, age }) => id === "#7" && age === null))).toBeCloseTo(1, 9);
    const absent = Array.from({ length: 12 }, (_, index) => step("check_ship_date", `#${index + 1}`, "error", { reason: "not-found" }));
    const few = weights(absent);
    const avoid = (orders: number) => [1, 8 / 20, (8 * 7) / (20 * 19), (8 * 7 * 6) / (20 * 19 * 18)][orders]!;
    const [named, several] = [0.35 * ((avoid(1) + avoid(2) + avoid(3)) / 3), 0.35 * ((avoid(2) + avoid(3)) / 2)];
    expect(Math.abs(chance(few, ambiguous) - several / (named + several))).toBeLessThan(0.03);
    expect(few.every(({ task }) => ordersOfCustomer(task.database).every(({ id }) => Number(id.slice(1)) > 12))).toBe(true);
  });

  /** All too old or pending, 0.4 of them pending: of n orders n (n − 1) · 0.16 ordered pairs are pending; 2 and 3 orders are equally likely. */
  test("two ids that are found count every pair of orders they may be", () => {
    const pair = [step("check_ship_date", "#7", "pending", { order: "#7" }), step("check_ship_date", "#8", "pending", { order: "#8" })];
    const { worlds } = after({ ...DEFAULTS, denyShare: 1 }, lamp, pair, 4000);
    expect(Math.abs(chance(worlds, ({ database }) => ordersOfCustomer(database).length === 3) - 6 / (2 + 6))).toBeLessThan(0.03);
  });

  test("a refund that went through, perhaps of somebody else's order", () => {
    const worlds = weights([step("refund", "#7", "refunded", {})], 2000);
    expect(worlds.every(({ state }) => state.database.orders.find(({ id }) => id === "#7")?.refunded === true)).toBe(true);
    const strange = chance(worlds, ({ database }) => !ordersOfCustomer(database).some(({ id }) => id === "#7"));
    expect(Math.abs(strange - (0.6 * 3) / (0.35 * 5.5 + 0.25 * 5))).toBeLessThan(0.04);
  });

  test("what no task can show is a TaskError", () => {
    const twice = [step("ask_customer", undefined, "user", { order: "#9" }), step("refund", "#9", "error", { reason: "not-found" })];
    expect(() => weights(twice, 1)).toThrow(TaskError);
  });
});
