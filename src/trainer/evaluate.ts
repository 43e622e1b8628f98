import type { Rng } from "#core/chance.ts";
import type { Split, Task } from "#core/environment.ts";
import type { PolicyBackend } from "#core/policy.ts";
import { mulberry32 } from "#core/mulberry32.ts";
import { createRng } from "#core/rng.ts";
import { bootstrapInterval, passAtK, passHatK } from "#core/statistics.ts";
import { alone, play } from "#environments/play.ts";
import type { Round } from "#harness/scheduler.ts";
import type { EvaluationReport } from "#run/run-event.ts";
import { playAll, type Arena } from "./arena.ts";
import type { Gate } from "./runtime.ts";

export interface EvaluationRequest {
  readonly split: Split;
  readonly tasks: number;
  readonly trials: number;
  /** Besides, one trial a task by greedy decoding. */
  readonly greedy: boolean;
  /** Of tasks and trials; equal seeds meet equal tasks, so that policies can be compared task by task. */
  readonly seed: number;
}

/** One trial's part of a report. */
interface Trial {
  readonly success: boolean;
  readonly failed: boolean;
  readonly turns: number;
  readonly checks: readonly { readonly name: string; readonly passed: boolean }[];
  readonly monitors: readonly { readonly name: string; readonly fired: boolean }[];
}

const RESAMPLES = 2000;
const MOST_K = 8;
/** Episodes sampled together: bounds the key-value cache. */
export const MOST_AT_ONCE = 256;

/** Turns trials (task-major) into a report; the intervals resample tasks, the unit that varies. */
function report(split: Split, tasks: number, trials: readonly Trial[], greedy: number | null): EvaluationReport {
  const perTask = trials.length / tasks;
  const ended = Array.from({ length: tasks }, (_, task) => trials.slice(task * perTask, (task + 1) * perTask).filter(({ failed }) => !failed));
  const successes = ended.map((of) => of.filter(({ success }) => success).length);
  // Trials that failed are dropped from a task's number of trials, and reported (tau2-bench's rule).
  const tried = ended.map((of) => of.length);
  const upTo = Array.from({ length: Math.min(MOST_K, perTask) }, (_, index) => index + 1);
  const curve = (estimate: typeof passHatK): { readonly means: number[]; readonly intervals: (readonly [number, number])[] } => {
    const rates = upTo.map((k) => estimate(successes, tried, k));
    return {
      means: rates.map(({ mean }) => mean ?? Number.NaN),
      intervals: rates.map(({ perTask: values }) => {
        const { low, high } = bootstrapInterval(values.map((value) => value ?? 0), RESAMPLES, 0.95, mulberry32(1));
        return [low, high] as const;
      }),
    };
  };
  const share = (named: (trial: Trial) => readonly { readonly name: string; readonly yes: boolean }[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const trial of ended.flat()) for (const { name, yes } of named(trial)) counts[name] = (counts[name] ?? 0) + (yes ? 1 : 0);
    return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / ended.flat().length]));
  };
  const [hat, at] = [curve(passHatK), curve(passAtK)];
  return {
    split, tasks, trials: perTask, successes,
    passHatK: hat.means, passAtK: at.means, passHatKInterval: hat.intervals, passAtKInterval: at.intervals,
    greedy,
    checks: share(({ checks }) => checks.map(({ name, passed }) => ({ name, yes: passed }))),
    monitors: share(({ monitors }) => monitors.map(({ name, fired }) => ({ name, yes: fired }))),
    meanTurns: trials.reduce((sum, { turns }) => sum + turns, 0) / trials.length,
    failed: trials.filter(({ failed }) => failed).length,
  };
}

/** Seed of the tasks and trials of evaluations: the same in every run, so that runs meet the same tasks. */
export const EVALUATION_SEED = 0;

/** What tasks are drawn from, and the random numbers of each trial. */
export const evaluationStreams = (seed: number, split: Split): { readonly tasks: Rng; readonly trial: (task: number, trial: number) => Rng } => {
  const root = createRng(seed).fork(`evaluation/${split}`);
  return { tasks: root.fork("tasks"), trial: (task, trial) => root.fork(`task/${task}/trial/${trial}`) };
};

/** Success of a policy on fixed tasks of a split. */
export async function evaluate<T extends Task, S>(
  arena: Arena<T, S>, policy: Pick<PolicyBackend, "sample">, request: EvaluationRequest, gate: (round: Round) => Promise<void>,
): Promise<EvaluationReport> {
  const { split, seed } = request;
  const { tasks: taskStream, trial: trialStream } = evaluationStreams(seed, split);
  const tasks = arena.tasks(split, request.tasks, taskStream);
  const trialsOf = async (trials: number, greedy: boolean): Promise<readonly Trial[]> => {
    const specs = tasks.flatMap((task, index) =>
      Array.from({ length: trials }, (_, trial) => arena.spec(task, `${split}/${index}`, trialStream(index, trial), 0)),
    );
    const judged = await playAll(arena, specs, policy, { greedy, concurrency: MOST_AT_ONCE, onRound: gate });
    return judged.map(({ trajectory, verdict, error }) => ({
      success: verdict.success, failed: error !== undefined, turns: trajectory.turns.length, checks: verdict.checks, monitors: verdict.monitors,
    }));
  };
  const sampled = await trialsOf(request.trials, false);
  const greedy = request.greedy ? await trialsOf(1, true) : undefined;
  return report(split, tasks.length, sampled, greedy ? greedy.filter(({ success }) => success).length / tasks.length : null);
}

/** The same for the environment's agent in the manner of a prompted model: it acts on observations, no policy is asked. */
export async function evaluateScripted<T extends Task, S>(
  arena: Arena<T, S>, agent: string, { split, tasks: count, trials, seed }: EvaluationRequest, gate: Gate,
): Promise<EvaluationReport | undefined> {
  const scripted = arena.environment.baselines[agent];
  if (!scripted) return undefined;
  const { tasks: taskStream, trial: trialStream } = evaluationStreams(seed, split);
  const results: Trial[] = [];
  for (const [index, task] of arena.tasks(split, count, taskStream).entries()) {
    if (index % 64 === 63) await gate();
    for (let trial = 0; trial < trials; trial += 1) {
      const rng = trialStream(index, trial);
      const { verdict, seen } = await play(arena.environment, task, alone(scripted, rng.fork("agent")), arena.budget.turns, rng);
      results.push({ success: verdict.success, failed: false, turns: seen.length, checks: verdict.checks, monitors: verdict.monitors });
    }
  }
  return report(split, count, results, null);
}
