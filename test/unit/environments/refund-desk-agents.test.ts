import { describe, expect, test } from "vitest";
import * as v from "valibot";
import { TaskError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import { alone, play } from "#environments/play.ts";
import { baselineRates } from "#environments/rates.ts";
import { clerk, type Slip } from "#environments/refund-desk/clerk.ts";
import { DEFAULTS, SCHEMA } from "#environments/refund-desk/config.ts";
import { DEMONSTRATION_SKILL, slipsAt } from "#environments/refund-desk/demonstrator.ts";
import { createRefundDesk } from "#environments/refund-desk/index.ts";
import type { Kind } from "#environments/refund-desk/prior.ts";
import { mustDeny, ordersOfCustomer, type DeskTask } from "#environments/refund-desk/state.ts";
import { ITEMS } from "#environments/refund-desk/words.ts";
import { deskTask } from "./desk-task.ts";
import { atOnce, text } from "./support.ts";

const desk = createRefundDesk();
const HORIZON = 8;

describe("tasks", () => {
  const train = desk.tasks(DEFAULTS, "train", 10_000, createRng(4));
  const own = (task: DeskTask) => ordersOfCustomer(task.database);

  test("there are 10,000 to train on, with the shares asked for in every twenty", () => {
    expect(new Set(train.map(({ id }) => id)).size).toBe(10_000);
    for (let start = 0; start < 10_000; start += 20) {
      const block = train.slice(start, start + 20);
      const share = (of: (task: DeskTask) => boolean) => block.filter(of).length;
      expect([share(({ request }) => request.kind === "recent"), share(({ request }) => request.kind === "ambiguous"),
        share(({ request, database }) => mustDeny(request, database))]).toEqual([6, 7, 8]);
    }
  });

  test("of every kind the share of denials is the same", () => {
    for (const kind of ["recent", "named", "ambiguous"]) {
      const some = train.filter(({ request }) => request.kind === kind);
      expect(some.filter(({ request, database }) => mustDeny(request, database)).length / some.length).toBeCloseTo(0.4, 1);
    }
  });

  test("a request selects one order, or needs the customer", () => {
    const fits: Readonly<Record<Kind, (task: DeskTask) => boolean>> = {
      recent: (task) => {
        const ages = own(task).map(({ age }) => age ?? 0);
        return new Set(ages).size === ages.length && (own(task).find(({ id }) => id === task.request.target)?.age ?? 0) === Math.min(...ages);
      },
      named: (task) => matches(task).join() === task.request.target,
      ambiguous: (task) => matches(task).length > 1 && matches(task).includes(task.request.target),
    };
    const matches = (task: DeskTask) => own(task).flatMap(({ id, item }) => (item === task.request.wanted ? [id] : []));
    for (const task of train.slice(0, 2000)) {
      expect([task.id, fits[task.request.kind](task)]).toEqual([task.id, true]);
      expect(new Set(task.database.orders.map(({ id }) => id)).size).toBe(own(task).length + 3);
    }
  });

  test("the same first observation often has different right endings", () => {
    const endings = new Map<string, Set<boolean>>();
    for (const task of train.slice(0, 2000)) {
      const key = text(desk.reset(task).observation);
      endings.set(key, (endings.get(key) ?? new Set()).add(mustDeny(task.request, task.database)));
    }
    expect([...endings.values()].filter(({ size }) => size === 2).length / endings.size).toBeGreaterThan(0.9);
  });

  test("shifted: windows and items of its own, always 4 orders", () => {
    for (const task of desk.tasks(DEFAULTS, "shifted", 200, createRng(4))) {
      expect([40, 70]).toContain(task.request.window);
      expect(own(task)).toHaveLength(4);
      expect(own(task).some(({ item }) => ITEMS.includes(item))).toBe(false);
    }
  });

  test("more tasks than there are is a TaskError; shares must leave room for each other", () => {
    expect(() => desk.tasks({ ...DEFAULTS, maxOrders: 1, recentShare: 1, denyShare: 1 }, "heldout", 20_000, createRng(1))).toThrow(TaskError);
    expect(v.safeParse(SCHEMA, { ...DEFAULTS, recentShare: 0.8 }).success).toBe(false);
    expect(v.safeParse(SCHEMA, { ...DEFAULTS, maxOrders: 5 }).success).toBe(false);
  });
});

describe("scripted agents", () => {
  const COUNT = 2000;

  test("bounds of what can be won without doing the job", async () => {
    const tasks = desk.tasks(DEFAULTS, "heldout", COUNT, createRng(6));
    const rates = await baselineRates(desk, tasks, HORIZON, 8);
    const success = (name: string): number => rates[name]?.success ?? -1;
    expect(success("doNothing")).toBe(0);
    expect(success("random")).toBeLessThanOrEqual(0.1);
    expect(success("alwaysDeny")).toBeLessThanOrEqual(0.42);
    expect(success("neverAsk")).toBeLessThanOrEqual(0.87);
    expect(success("neverCheck")).toBeLessThanOrEqual(0.65);
    expect(success("prompted")).toBeGreaterThan(0.6);
    expect(success("prompted")).toBeLessThan(0.75);
    expect(success("oracle")).toBe(1);
    expect(rates["oracle"]?.turns).toBeGreaterThanOrEqual(4);
  });

  test("a fifth to a quarter of episodes meets a failure", () => {
    const failed = desk.tasks(DEFAULTS, "heldout", COUNT, createRng(6)).filter((task) =>
      atOnce(play(desk, task, desk.demonstrator(task, createRng(1), 1), HORIZON, createRng(1).fork(task.id))).state.failed);
    expect(failed.length / COUNT).toBeGreaterThan(0.2);
    expect(failed.length / COUNT).toBeLessThan(0.25);
  });

  test.each([1, 2, 3, 4])("skill 1 wins everywhere with at most %i orders, within the horizon", (maxOrders) => {
    for (const split of ["train", "heldout", "shifted"] as const) {
      for (const task of desk.tasks({ ...DEFAULTS, maxOrders, failureRate: 0.5 }, split, 200, createRng(9))) {
        const { verdict, ending } = atOnce(play(desk, task, desk.demonstrator(task, createRng(1), 1), HORIZON, createRng(1).fork(task.id)));
        expect([verdict.success, ending]).toEqual([true, "terminated"]);
      }
    }
  });

  test("the demonstrations of a base policy fail often, in every way, and act on nothing hidden", () => {
    const made = new Map<Slip, number>();
    const tasks = desk.tasks(DEFAULTS, "train", COUNT, createRng(3));
    const other = deskTask("lamp", "named", [["lamp", "#4", 30]]);
    let successes = 0;
    for (const [index, task] of tasks.entries()) {
      const slips = new Set<Slip>();
      const rng = createRng(5).fork(String(index));
      const agent = clerk(slipsAt(DEMONSTRATION_SKILL), (slip) => slips.add(slip));
      const { verdict, seen } = atOnce(play(desk, task, alone(agent, rng.fork("agent")), HORIZON, rng));
      for (const slip of slips) made.set(slip, (made.get(slip) ?? 0) + 1);
      if (verdict.success) successes += 1;
      const blind = desk.demonstrator(other, rng.fork("agent"), DEMONSTRATION_SKILL);
      let last = desk.reset(task).observation;
      for (const { action, observation } of seen) {
        expect(blind(desk.reset(other).state, last)).toEqual(action);
        last = observation;
      }
    }
    expect(successes / COUNT).toBeGreaterThan(0.58);
    expect(successes / COUNT).toBeLessThan(0.67);
    expect([...made.keys()].toSorted()).toEqual(Object.keys(slipsAt(0)).toSorted());
    for (const count of made.values()) expect(count / COUNT).toBeGreaterThanOrEqual(0.02);
  });
});
