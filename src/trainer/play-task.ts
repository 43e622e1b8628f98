import type { Task } from "#core/environment.ts";
import { HarnessError, PolicyError } from "#core/errors.ts";
import type { PolicyBackend } from "#core/policy.ts";
import type { Observation } from "#core/trajectory.ts";
import type { Executor } from "#engine/executor.ts";
import { layoutOf } from "#engine/model.ts";
import { createPolicy } from "#engine/policy-backend.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { MemberRecord } from "#run/run-event.ts";
import { playAll, type Arena } from "./arena.ts";
import { evaluationStreams, EVALUATION_SEED } from "./evaluate.ts";
import { memberRecord } from "./group-record.ts";
import { policyOptionsOf } from "./open-policy.ts";

/** One trial of a held-out evaluation, to be played again by the weights that a run has. */
export interface TaskPlayRequest {
  readonly config: RunConfig;
  readonly weights: Float32Array<ArrayBuffer>;
  /** Place among the held-out tasks, and trial at it, counted from 0. */
  readonly task: number;
  readonly trial: number;
}

export interface TaskPlay {
  readonly taskId: string;
  readonly first: Observation;
  readonly member: MemberRecord;
}

/**
 * The trial as an evaluation plays it: equal tasks and equal random numbers for every policy, so that two part only where they choose
 * differently. Alone it goes as it does among all others, bit for bit in one arithmetic.
 * @throws PolicyError for a task or trial that the run's evaluations do not have. @throws HarnessError where the episode broke down
 */
async function playTask<T extends Task, S>(arena: Arena<T, S>, policy: Pick<PolicyBackend, "sample" | "nextLogprobs">, { config, task: at, trial }: TaskPlayRequest): Promise<TaskPlay> {
  const { tasks: count, trials } = config.evaluation;
  if (!(Number.isInteger(at) && at >= 0 && at < count && Number.isInteger(trial) && trial >= 0 && trial < trials))
    throw new PolicyError(`task ${at}, trial ${trial} was asked for; the run is evaluated on ${count} tasks with ${trials} trials each, counted from 0`);
  const streams = evaluationStreams(EVALUATION_SEED, "heldout");
  const task = arena.tasks("heldout", count, streams.tasks)[at];
  if (task === undefined) throw new PolicyError(`there is no held-out task ${at}`);
  const rng = streams.trial(at, trial);
  const [played] = await playAll(arena, [arena.spec(task, `heldout/${at}`, rng, 0)], policy, { greedy: false, concurrency: 1 });
  if (played === undefined || played.error !== undefined) throw new HarnessError(`the attempt broke down: ${played?.error ?? "nothing was played"}`);
  const { trajectory, verdict } = played;
  const scored = { trajectory, verdict, rewards: { perTurn: new Float32Array(trajectory.turns.length), terminal: verdict.success ? 1 : 0 } };
  const member = await memberRecord(arena, policy, task, scored, { perTurn: new Float32Array(trajectory.turns.length) }, rng.fork("shown"));
  return { taskId: task.id, first: trajectory.first, member };
}

/** With a policy of its own, which goes again. @throws PolicyError where the weights are not of the size that the settings name */
export async function playTaskWith<T extends Task, S>(executor: Executor, arena: Arena<T, S>, request: TaskPlayRequest): Promise<TaskPlay> {
  const options = policyOptionsOf(request.config, arena);
  const { parameters } = layoutOf(options.model);
  if (request.weights.length !== parameters) throw new PolicyError(`there are ${request.weights.length} weights; the settings need ${parameters}`);
  const policy = createPolicy(executor, options, request.weights);
  try {
    return await playTask(arena, policy, request);
  } finally {
    policy.dispose();
  }
}
