import { assignCredit } from "#algorithms/credit/implementations.ts";
import { scoreGroups } from "#algorithms/rewards/implementations.ts";
import type { ScoredGroup } from "#core/credit.ts";
import type { Task } from "#core/environment.ts";
import { PolicyError } from "#core/errors.ts";
import { fingerprint } from "#core/json.ts";
import { createRng } from "#core/rng.ts";
import type { Executor } from "#engine/executor.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";
import type { Assessment, CreditId, RecordedFrom } from "#run/assessment.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { Recording } from "#run/recording.ts";
import { playAll, type Arena, type JudgedRollout } from "./arena.ts";
import { boardRows } from "./board-rows.ts";
import { groupRecord } from "./group-record.ts";
import { createLaboratory, type GroupLaboratory, type Laboratory } from "./laboratory.ts";
import type { SampledBatch } from "./laboratory/batches.ts";
import { NO_COST } from "./provide/meter.ts";

export interface RecordSettings {
  readonly seed: number;
  /** Training tasks looked through, and attempts at each. */
  readonly tasks: number;
  readonly attempts: number;
}

const TASKS_AT_ONCE = 8;
/** Rows of the board before anything runs. */
const SHOWN_SCHEMES: readonly CreditId[] = ["truth", "flat", "process", "gigpo", "critic", "istar"];

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

/** What a recorded group is sampled and looked into with. */
interface Studio<T extends Task, S> {
  readonly config: RunConfig;
  readonly arena: Arena<T, S>;
  readonly policy: EnginePolicy;
  /** The policy's: assessing a group takes networks of its own there. */
  readonly executor: Executor;
}

async function batchOf<T extends Task, S>({ config, policy }: Studio<T, S>, seed: number, index: number, task: T, members: readonly JudgedRollout<S>[]): Promise<SampledBatch<T, S>> {
  const judged = { groupId: groupIdOf(index), members };
  const [rewards] = await scoreGroups([judged], config.reward, streamOf(seed).fork("reward"));
  const group: ScoredGroup = {
    groupId: judged.groupId,
    members: members.map(({ trajectory, verdict }, index) => ({ trajectory, verdict, rewards: rewards?.[index] ?? { perTurn: new Float32Array(trajectory.turns.length), terminal: 0 } })),
  };
  const credits = assignCredit([group], config.algorithm.credit, streamOf(seed).fork("credit"));
  return { update: 0, weights: await policy.snapshot(), tasks: [task], groups: [group], credits, judged: members, cost: NO_COST, shown: 0 };
}

function laboratoryOf<T extends Task, S>({ config, arena, executor }: Studio<T, S>, batch: SampledBatch<T, S>): GroupLaboratory<T, S> {
  const laboratory = createLaboratory({ config, arena, executor });
  laboratory.keep(batch);
  return laboratory;
}

const ungated = (): Promise<void> => Promise.resolve();

/** Given the history and given the hidden state. */
async function assessmentsOf<T extends Task, S>(studio: Studio<T, S>, batch: SampledBatch<T, S>, schemes: readonly CreditId[]): Promise<readonly Assessment[]> {
  const laboratory = laboratoryOf(studio, batch);
  try {
    const assessed = async (given: "history" | "state", shown: readonly CreditId[]): Promise<Assessment> =>
      (await laboratory.assess({ source: { kind: "run" }, groupId: batch.groups[0]?.groupId ?? "", given, schemes: shown }, ungated, () => {})).assessment;
    // The rows are the same in both views.
    return [await assessed("history", schemes), { ...await assessed("state", []), schemes: [] }];
  } finally {
    laboratory.dispose();
  }
}

async function recordingOf<T extends Task, S>(studio: Studio<T, S>, seed: number, index: number, attempts: readonly number[], batch: SampledBatch<T, S>): Promise<Recording> {
  const { config, arena, policy } = studio;
  const [[group], [credits = []], [task]] = [batch.groups, batch.credits, batch.tasks];
  if (!group || !task) throw new PolicyError("there is no group to record");
  const rows = await boardRows(group, credits, config.algorithm.credit, config.reward.id, streamOf(seed).fork("board"));
  return {
    format: "turnwise-recording", version: 1, preset: config.preset, fingerprint: fingerprint(batch.weights), arithmetic: policy.arithmetic,
    seed, task: index, attempts, roles: arena.story.map(({ name }) => name),
    group: await groupRecord(arena, policy, task, group, credits, rows, streamOf(seed)),
    assessments: await assessmentsOf(studio, batch, SHOWN_SCHEMES),
  };
}

/** Whether the turns that tell the story have the skill they are there to show. */
async function isTelling<T extends Task, S>(studio: Studio<T, S>, batch: SampledBatch<T, S>): Promise<boolean> {
  const [assessment] = await assessmentsOf(studio, batch, []);
  return studio.arena.story.every(({ telling }, index) => {
    if (telling === undefined) return true;
    const { skill = 0, halfWidth = 0 } = assessment?.truth.members[index]?.turns[telling.turn] ?? {};
    return telling.sign * skill > halfWidth;
  });
}

/** Looks through attempts of the policy for a group that tells the environment's story. @throws PolicyError when none is found. */
export async function record<T extends Task, S>(studio: Studio<T, S>, settings: RecordSettings): Promise<Recording> {
  const { arena, policy } = studio;
  const { seed } = settings;
  const all = arena.tasks("train", settings.tasks, streamOf(seed).fork("tasks")).map((task, index) => ({ index, task }));
  const numbers = Array.from({ length: settings.attempts }, (_, attempt) => attempt);
  for (let first = 0; first < all.length; first += TASKS_AT_ONCE) {
    const some = all.slice(first, first + TASKS_AT_ONCE);
    const played = await attemptsAt(arena, policy, seed, some, numbers);
    for (const [at, { index, task }] of some.entries()) {
      const attempts = played.slice(at * numbers.length, (at + 1) * numbers.length);
      const chosen = cast(arena, attempts);
      if (!chosen) continue;
      const batch = await batchOf(studio, seed, index, task, chosen.flatMap((attempt) => attempts[attempt] ?? []));
      if (await isTelling(studio, batch)) return recordingOf(studio, seed, index, chosen, batch);
    }
  }
  const roles = arena.story.map(({ name }) => name).join(", ");
  throw new PolicyError(
    `no group tells the story (${roles}) among ${settings.attempts} attempts at each of ${settings.tasks} training tasks: look through more tasks or attempts, or take another seed`,
  );
}

/** The batch of a recording again, from its numbers alone. */
async function batchAgain<T extends Task, S>(studio: Studio<T, S>, { seed, task: index, attempts }: RecordedFrom): Promise<SampledBatch<T, S>> {
  const task = studio.arena.tasks("train", index + 1, streamOf(seed).fork("tasks"))[index];
  if (!task) throw new PolicyError(`there is no task ${index}`);
  return batchOf(studio, seed, index, task, await attemptsAt(studio.arena, studio.policy, seed, [{ index, task }], attempts));
}

/** The same group again, from its numbers alone: what a recording claims to be. */
export const replay = async <T extends Task, S>(studio: Studio<T, S>, from: RecordedFrom): Promise<Recording> =>
  recordingOf(studio, from.seed, from.task, from.attempts, await batchAgain(studio, from));

/** A laboratory that holds a recording's group: for questions about it before anything runs. */
export const recordingLaboratory = async <T extends Task, S>(studio: Studio<T, S>, from: RecordedFrom): Promise<Laboratory> =>
  laboratoryOf(studio, await batchAgain(studio, from));
