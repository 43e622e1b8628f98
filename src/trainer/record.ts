import { assignCredit } from "#algorithms/credit/registry.ts";
import { scoreGroups } from "#algorithms/rewards/registry.ts";
import type { ScoredGroup } from "#core/credit.ts";
import type { Task } from "#core/environment.ts";
import { PolicyError } from "#core/errors.ts";
import { fingerprint } from "#core/json.ts";
import { createRng } from "#core/rng.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { Recording } from "#run/recording.ts";
import { playAll, type Arena, type JudgedRollout } from "./arena.ts";
import { groupRecord } from "./group-record.ts";

export interface RecordSettings {
  readonly seed: number;
  /** Training tasks looked through, and attempts at each. */
  readonly tasks: number;
  readonly attempts: number;
}

const TASKS_AT_ONCE = 8;

/** Attempts that play the story's roles in order, each of them once; undefined where a role finds none. */
function cast<T extends Task, S>({ story }: Arena<T, S>, attempts: readonly JudgedRollout[]): readonly number[] | undefined {
  const chosen: number[] = [];
  for (const role of story) {
    const found = attempts.findIndex((attempt, index) => !chosen.includes(index) && attempt.error === undefined && role.matches(attempt));
    if (found < 0) return undefined;
    chosen.push(found);
  }
  return chosen;
}

const streamOf = (seed: number) => createRng(seed).fork("recording");
const groupIdOf = (task: number): string => `recording/${task}`;

/** The attempts of some tasks, [tasks × attempts]; attempt a of task t has a random stream of its own, so one can be replayed alone. */
function attemptsAt<T extends Task, S>(arena: Arena<T, S>, policy: EnginePolicy, seed: number, tasks: readonly { readonly index: number; readonly task: T }[], attempts: readonly number[]) {
  const rng = streamOf(seed);
  const specs = tasks.flatMap(({ index, task }) => attempts.map((attempt) => arena.spec(task, groupIdOf(index), rng.fork(`task/${index}/attempt/${attempt}`), 0)));
  return playAll(arena, specs, policy, { greedy: false, concurrency: 256 });
}

async function recordingOf<T extends Task, S>(config: RunConfig, arena: Arena<T, S>, policy: EnginePolicy, seed: number, index: number, task: T, attempts: readonly number[], members: readonly JudgedRollout[]): Promise<Recording> {
  const judged = { groupId: groupIdOf(index), members };
  const [rewards] = await scoreGroups([judged], config.reward, streamOf(seed).fork("reward"));
  const group: ScoredGroup = {
    groupId: judged.groupId,
    members: members.map(({ trajectory, verdict }, index) => ({ trajectory, verdict, rewards: rewards?.[index] ?? { perTurn: new Float32Array(trajectory.turns.length), terminal: 0 } })),
  };
  const [credits] = assignCredit([group], config.algorithm.credit, streamOf(seed).fork("credit"));
  return {
    format: "turnwise-recording", version: 1, preset: config.preset, fingerprint: fingerprint(await policy.snapshot()), arithmetic: policy.arithmetic,
    seed, task: index, attempts, roles: arena.story.map(({ name }) => name),
    group: await groupRecord(arena, policy, task, group, credits ?? [], streamOf(seed)),
  };
}

/** Looks through attempts of the policy for a group that tells the environment's story. @throws PolicyError when none is found. */
export async function record<T extends Task, S>(config: RunConfig, arena: Arena<T, S>, policy: EnginePolicy, settings: RecordSettings): Promise<Recording> {
  const all = arena.tasks("train", settings.tasks, streamOf(settings.seed).fork("tasks")).map((task, index) => ({ index, task }));
  const numbers = Array.from({ length: settings.attempts }, (_, attempt) => attempt);
  for (let first = 0; first < all.length; first += TASKS_AT_ONCE) {
    const some = all.slice(first, first + TASKS_AT_ONCE);
    const played = await attemptsAt(arena, policy, settings.seed, some, numbers);
    for (const [at, { index, task }] of some.entries()) {
      const attempts = played.slice(at * numbers.length, (at + 1) * numbers.length);
      const chosen = cast(arena, attempts);
      if (!chosen) continue;
      const members = chosen.flatMap((attempt) => attempts[attempt] ?? []);
      return recordingOf(config, arena, policy, settings.seed, index, task, chosen, members);
    }
  }
  throw new PolicyError(`no group that tells the story in ${settings.attempts} attempts at each of ${settings.tasks} tasks; try another seed or more attempts`);
}

/** The same group again, from its numbers alone: what a recording claims to be. */
export async function replay<T extends Task, S>(config: RunConfig, arena: Arena<T, S>, policy: EnginePolicy, { seed, task: index, attempts }: Pick<Recording, "seed" | "task" | "attempts">): Promise<Recording> {
  const task = arena.tasks("train", index + 1, streamOf(seed).fork("tasks"))[index];
  if (!task) throw new PolicyError(`there is no task ${index}`);
  const members = await attemptsAt(arena, policy, seed, [{ index, task }], attempts);
  return recordingOf(config, arena, policy, seed, index, task, attempts, members);
}
