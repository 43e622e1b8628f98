import { hashText } from "#core/json.ts";
import type { Services } from "#core/environment.ts";
import type { Executor } from "#engine/executor.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { withArena } from "#trainer/arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import type { Resume } from "#trainer/runtime.ts";
import { networksOf } from "#trainer/scorer/open.ts";
import { train } from "#trainer/train.ts";

/** A small run from a blank policy: every part of the trainer takes part, in about a second. */
export const SMALL_RUN: RunConfig = {
  ...PRESETS["refund-desk"],
  seed: 11,
  updates: 3,
  from: "blank",
  algorithm: { ...PRESETS["refund-desk"].algorithm, groupSize: 8, groupsPerUpdate: 8 },
  policy: { layers: 2, width: 32, context: 96, valueHead: false },
  evaluation: { every: 2, tasks: 8, trials: 4 },
};

/** All events of a run on an executor; the clock only counts calls. */
export async function eventsOn(executor: Executor, config: RunConfig, resume?: Resume, services: Partial<Services> = {}): Promise<readonly RunEvent[]> {
  return withArena(config, async (arena) => {
    const policy = openPolicy(executor, config, arena, undefined);
    const networks = await networksOf(config, arena, executor, policy);
    const events: RunEvent[] = [];
    let calls = 0;
    const deps = { arena, policy, networks, now: () => (calls += 1), gate: () => Promise.resolve() };
    for await (const event of train(config, resume ? { ...deps, resume } : deps)) events.push(event);
    networks.dispose();
    policy.dispose();
    return events;
  }, services);
}

/** The events up to and with the one of `update`, and what a run needs to go on from there. */
export async function eventsUntil(executor: Executor, config: RunConfig, update: number): Promise<{ readonly events: readonly RunEvent[]; readonly resume: Resume }> {
  return withArena(config, async (arena) => {
    const policy = openPolicy(executor, config, arena, undefined);
    const networks = await networksOf(config, arena, executor, policy);
    const events: RunEvent[] = [];
    let [trajectories, tokens] = [0, 0];
    for await (const event of train(config, { arena, policy, networks, now: () => 0, gate: () => Promise.resolve() })) {
      events.push(event);
      if (event.type !== "update") continue;
      trajectories += event.metrics.trajectories;
      tokens += event.metrics.tokens;
      if (event.update === update) break;
    }
    const resume = { config, update, trajectories, tokens, policy: await policy.exportState(), networks: await networks.exportState() };
    networks.dispose();
    policy.dispose();
    return { events, resume };
  });
}

/** Events without their timing, one hash each. */
export const digest = (events: readonly RunEvent[]): readonly string[] =>
  events.map((event) => `${event.type} ${hashText(JSON.stringify({ ...event, timing: null })).toString(16).padStart(8, "0")}`);
