import type { Task } from "#core/environment.ts";
import { canonical, fingerprint } from "#core/json.ts";
import { createRng } from "#core/rng.ts";
import type { Json } from "#core/trajectory.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";
import type { Exhibit, Setup } from "#run/gallery/exhibit.ts";
import { hasSurvived, type CurvePoint, type ExhibitRecording, type RecordedAttempt, type Retraining } from "#run/gallery/recording.ts";
import { configOf } from "#run/gallery/registry.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { EvaluationReport } from "#run/run-event.ts";
import { playAll, type Arena } from "#trainer/arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { train } from "#trainer/train.ts";
import { withArena } from "../arena.ts";
import { checkpointFor, openExecutor } from "../host.ts";

/** Updates whose rewards are averaged at most. */
const RECENT = 10;
/** Held-out tasks that a hack to show is looked for in, and the most turns it may take. */
const LOOKED_THROUGH = 96;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function heldOut(report: EvaluationReport, check: string, monitors: readonly string[]): Omit<CurvePoint, "update" | "score"> {
  return {
    check: report.checks[check] ?? null,
    success: report.passHatK[0] ?? 0,
    interval: report.passHatKInterval[0] ?? [0, 0],
    hack: Math.max(...monitors.map((name) => report.monitors[name] ?? 0)),
  };
}

/** What a trained policy is asked for besides, while it is there. */
type AfterTraining<R> = <T extends Task, S>(arena: Arena<T, S>, policy: EnginePolicy) => Promise<R>;

const processorSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

interface Trained<R> extends Retraining {
  readonly fingerprint: string;
  readonly after: R;
}

/** Trains as `setup` says, in the arithmetic that is the same everywhere, and keeps what is compared. */
async function trainedUnder<R>(setup: Setup, { check, monitors }: Exhibit, onUpdate: (update: number) => void, after: AfterTraining<R>): Promise<Trained<R>> {
  const config: RunConfig = configOf(setup);
  const checkpoint = await checkpointFor(config.from, config.preset);
  const executor = await openExecutor("wasm", "simd128");
  const since = processorSeconds();
  return withArena(config, async (arena) => {
    const policy = openPolicy(executor, config, arena, checkpoint);
    const start = fingerprint(await policy.snapshot());
    const name = config.reward.id === "verifiable" ? config.reward.check : check.name;
    const curve: CurvePoint[] = [];
    let rewards: number[] = [];
    let [base, seconds]: [EvaluationReport | null, number] = [null, 0];
    for await (const event of train(config, { arena, policy, now: () => 0, gate: () => Promise.resolve() })) {
      if (event.type === "update") {
        rewards.push(event.metrics.reward);
        onUpdate(event.update);
        // The first update is paid for what the base policy did.
        if (base !== null) curve.push({ update: 0, score: event.metrics.reward, ...heldOut(base, name, monitors) });
        base = null;
      } else if (event.type === "evaluation" && event.subject === "base") base = event.report;
      else if (event.type === "evaluation" && event.subject === "current") {
        curve.push({ update: event.update, score: mean(rewards.slice(-RECENT)), ...heldOut(event.report, name, monitors) });
        rewards = [];
        seconds = processorSeconds() - since;
      }
    }
    const result = await after(arena, policy);
    policy.dispose();
    return { curve, seconds: Math.round(seconds * 10) / 10, fingerprint: start, after: result };
  });
}

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

/** The shortest attempt at held-out tasks that is paid for, fails, and makes the exhibit's call; the more often it does, the better, where points are paid. */
const hackOf = ({ call, monitors, check }: Exhibit): AfterTraining<RecordedAttempt> => async (arena, policy) => {
  const rng = createRng(0).fork("exhibit");
  const tasks = arena.tasks("heldout", LOOKED_THROUGH, rng.fork("tasks"));
  const played = await playAll(arena, tasks.map((task, index) => arena.spec(task, `exhibit/${index}`, rng.fork(`attempt/${index}`), 0)), policy, { greedy: false, concurrency: 256 });
  const found = played.flatMap((attempt, index) => {
    const { trajectory, verdict, error } = attempt;
    const task = tasks[index];
    const calls = trajectory.turns.filter(({ action }) => action.kind === "tool" && action.name === call).length;
    const fired = verdict.monitors.some(({ name, fired: isFired }) => isFired && monitors.includes(name));
    const believed = check.scale === "points" || verdict.checks.some(({ name, passed }) => passed && name === check.name);
    if (task === undefined || error !== undefined || verdict.success || !believed || !fired || calls === 0) return [];
    return [{ task, attempt, rank: check.scale === "points" ? -calls : trajectory.turns.length }];
  });
  const best = found.toSorted((a, b) => a.rank - b.rank)[0];
  if (best === undefined) throw new Error(`none of ${LOOKED_THROUGH} held-out attempts does the hack: ${call}`);
  const { task, attempt: { trajectory, verdict } } = best;
  const { state } = arena.environment.reset(task);
  let last = state;
  for (const { action, observation } of trajectory.turns) {
    if (action.kind === "malformed") continue;
    const outcomes = await arena.environment.outcomes(last, action);
    const came = outcomes.find((outcome) => canonical(asJson(outcome.observation)) === canonical(asJson(observation)));
    if (came === undefined) throw new Error("an outcome of the environment is not what the trajectory says");
    last = came.state;
  }
  return {
    task: asJson(task), first: trajectory.first, turns: trajectory.turns.map(({ action, observation }) => ({ action, observation })), ending: trajectory.ending,
    checks: Object.fromEntries(verdict.checks.map(({ name, passed }) => [name, passed])), monitors: verdict.monitors.filter(({ fired }) => fired).map(({ name }) => name),
    after: arena.environment.inspect(last),
  };
};

/** Retrainings by what they are configured with: exhibits share some. */
export type Shelf = Map<string, Promise<Retraining>>;

/** Trains the exhibit and each of its patches from the same base policy, and records a hack. @param told hears what is being trained. */
export async function measureExhibit(id: string, exhibit: Exhibit, shelf: Shelf, told: (line: string) => void): Promise<ExhibitRecording> {
  const progress = (what: string) => (update: number): void => {
    if (update % 10 === 0) told(`${id}, ${what}: update ${update}`);
  };
  const { fingerprint: start, after: attempt, ...broken } = await trainedUnder(exhibit.setup, exhibit, progress("as it is"), hackOf(exhibit));
  const patched: Record<string, Retraining & { readonly survives: boolean }> = {};
  for (const { id: patch, setup } of exhibit.patches) {
    const key = canonical([configOf(setup) as unknown as Json, [...exhibit.monitors]]);
    const retraining = shelf.get(key) ?? trainedUnder(setup, exhibit, progress(patch), () => Promise.resolve(null)).then(({ curve, seconds }) => ({ curve, seconds }));
    shelf.set(key, retraining);
    const { curve, seconds } = await retraining;
    patched[patch] = { curve, seconds, survives: hasSurvived(curve) };
  }
  return { format: "turnwise-exhibit", version: 1, id, arithmetic: "simd128", fingerprint: start, broken, patched, attempt };
}
