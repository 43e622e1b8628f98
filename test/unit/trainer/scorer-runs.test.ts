import { expect, test } from "vitest";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import { REWARD_SOURCES } from "#algorithms/rewards/registry.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { withArena } from "#trainer/arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import type { Practice } from "#trainer/runtime.ts";
import { networksOf } from "#trainer/scorer/open.ts";
import { train } from "#trainer/train.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { digest, eventsOn, eventsUntil, SMALL_RUN } from "./runs.ts";

const withCredit = <K extends "critic" | "bilevel" | "istar" | "prime">(id: K): RunConfig =>
  ({ ...SMALL_RUN, algorithm: { ...SMALL_RUN.algorithm, credit: { id, ...CREDIT_ASSIGNERS[id].defaults, networkSteps: 2 } as RunConfig["algorithm"]["credit"] } });
const withReward = <K extends "learned" | "implicit">(id: K, comparedUpdates: number): RunConfig =>
  ({ ...SMALL_RUN, reward: { id, ...REWARD_SOURCES[id].defaults, practiceGroups: 8, comparedUpdates } as RunConfig["reward"] });

const CONFIGS: Readonly<Record<string, RunConfig>> = {
  critic: withCredit("critic"),
  "critic per token": { ...withCredit("critic"), algorithm: { ...SMALL_RUN.algorithm, credit: { id: "critic", ...CREDIT_ASSIGNERS.critic.defaults, step: "token", atBudget: "bootstrap" } } },
  bilevel: withCredit("bilevel"),
  istar: withCredit("istar"),
  prime: withCredit("prime"),
  "learned reward": withReward("learned", 5000),
  "learned reward, frozen": withReward("learned", 0),
  "implicit reward": withReward("implicit", 5000),
  "a critic under a learned reward": { ...withReward("learned", 1), algorithm: withCredit("critic").algorithm },
};

const rewardsIn = (events: readonly RunEvent[]): readonly number[] =>
  events.flatMap((event) => (event.type === "group" ? event.group.members.map(({ reward }) => reward) : []));

test.each(Object.entries(CONFIGS))("with %s a run goes on after update 2 as if it had never stopped", async (name, config) => {
  const { events, resume } = await eventsUntil(await wasmExecutor("simd128"), config, 2);
  const rest = digest(await eventsOn(await wasmExecutor("simd128"), config, structuredClone(resume)));
  const whole = await eventsOn(await wasmExecutor("simd128"), config);
  expect([...digest(events), ...rest]).toEqual(digest(whole));
  // The networks' state is what does it: from their start they would say something else.
  const { networks, ...bare } = structuredClone(resume);
  expect(Object.keys(networks ?? {}).length).toBe(name.startsWith("a critic under") ? 2 : 1);
  await expect(eventsOn(await wasmExecutor("simd128"), config, bare)).rejects.toThrow("this run needs one");
  if (config.reward.id !== "verifiable") expect(new Set(rewardsIn(whole)).size).toBeGreaterThan(8);
}, 120_000);

test("groups outside PRIME's accuracy band are trained on by neither network", async () => {
  const narrow: RunConfig = { ...SMALL_RUN, updates: 1, algorithm: { ...SMALL_RUN.algorithm, credit: { id: "prime", ...CREDIT_ASSIGNERS.prime.defaults, accuracyLow: 0.99, accuracyHigh: 1 } } };
  const { resume } = await eventsUntil(await wasmExecutor("simd128"), narrow, 1);
  expect([resume.policy.step, resume.networks?.implicit?.step]).toEqual([0, 0]);
  const wide: RunConfig = { ...narrow, algorithm: { ...narrow.algorithm, credit: { id: "prime", ...CREDIT_ASSIGNERS.prime.defaults, accuracyLow: 0, accuracyHigh: 1 } } };
  const { resume: learnt } = await eventsUntil(await wasmExecutor("simd128"), wide, 1);
  expect([learnt.policy.step, learnt.networks?.implicit?.step]).toEqual([2, 1]);
}, 60_000);

test("a judge that is not frozen keeps learning, and one that is frozen does not", async () => {
  const stepsOf = async (comparedUpdates: number): Promise<number | undefined> =>
    (await eventsUntil(await wasmExecutor("simd128"), withReward("learned", comparedUpdates), 2)).resume.networks?.rewarding?.step;
  const [frozen, once, always] = [await stepsOf(0), await stepsOf(1), await stepsOf(5000)];
  expect(frozen).toBeGreaterThan(0);
  expect(once).toBeGreaterThan(frozen ?? Infinity);
  expect(always).toBeGreaterThan(once ?? Infinity);
}, 60_000);

test("a judge's practice is told as it goes on, before the first event after the start, and changes nothing of the run", async () => {
  const config = { ...withReward("learned", 1), updates: 1, algorithm: { ...SMALL_RUN.algorithm, groupsPerUpdate: 3, groupSize: 4 } };
  const told: (Practice & { readonly events: number })[] = [];
  const executor = await wasmExecutor("simd128");
  const events: RunEvent[] = [];
  await withArena(config, async (arena) => {
    const policy = openPolicy(executor, config, arena, undefined);
    const networks = await networksOf(config, arena, executor, policy);
    for await (const event of train(config, { arena, policy, networks, now: () => 0, gate: () => Promise.resolve(), practised: (progress) => told.push({ ...progress, events: events.length }) })) events.push(event);
  });
  expect(told).toEqual([{ done: 3, of: 8, events: 1 }, { done: 6, of: 8, events: 1 }, { done: 8, of: 8, events: 1 }]);
  expect(digest(events)).toEqual(digest(await eventsOn(await wasmExecutor("simd128"), config)));
}, 60_000);
