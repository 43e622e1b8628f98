import { packRows } from "#algorithms/batch.ts";
import { OBJECTIVES } from "#algorithms/objectives/registry.ts";
import type { Rng } from "#core/chance.ts";
import type { OwnDemonstration, Task } from "#core/environment.ts";
import { ConfigError, PolicyError, TaskError } from "#core/errors.ts";
import { cos } from "#core/math.ts";
import type { TrainBatch } from "#core/objective.ts";
import { choose, createRng } from "#core/rng.ts";
import { mean } from "#core/statistics.ts";
import type { TokenSequence } from "#core/tokens.ts";
import type { Action, Trajectory } from "#core/trajectory.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";
import { demonstrate } from "#harness/demonstrate.ts";
import { OWN_SHARE } from "#run/own-share.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { LoopHarness } from "#harness/tool-loop.ts";
import type { Arena } from "./arena.ts";
import { Steps } from "./steps.ts";

export interface PretrainSettings {
  readonly demonstrations: number;
  readonly steps: number;
  readonly batch: number;
  readonly learningRate: number;
  /** Share of demonstrations in a drawn wording instead of the plain one. */
  readonly variedShare: number;
}

export const PRETRAIN: PretrainSettings = { demonstrations: 100000, steps: 12000, batch: 32, learningRate: 5e-3, variedShare: 0.25 };
/** Where every turn is a sequence of its own, short ones and many are learnt from at a time. */
export const PRETRAIN_TURNS: PretrainSettings = { demonstrations: 60000, steps: 16000, batch: 128, learningRate: 2e-3, variedShare: 0.25 };

/** What the harness of a run is pretrained with, unless said otherwise. */
export const pretrainSettings = ({ wholeHistory }: Pick<LoopHarness, "wholeHistory">): PretrainSettings => (wholeHistory ? PRETRAIN : PRETRAIN_TURNS);

type Playable<T extends Task, S> = Pick<Arena<T, S>, "plays" | "spec">;

async function played<T extends Task, S>({ spec }: Playable<T, S>, { task, actions }: OwnDemonstration<T>, rng: Rng, varyWording: boolean): Promise<Trajectory> {
  let at = 0;
  const act = (): Action => actions[at++] ?? { kind: "malformed", raw: "", reason: "the play is over" };
  return (await demonstrate({ ...spec(task, "demonstration", rng, 0), constrained: false, varyWording }, act)).trajectory;
}

function ownPlays<T extends Task, S>(arena: Playable<T, S>): readonly OwnDemonstration<T>[] {
  try {
    return arena.plays();
  } catch (error) {
    throw error instanceof TaskError ? new ConfigError(`environment.plays: ${error.message}`, { path: "environment.plays" }) : error;
  }
}

/**
 * A person's plays must be whole under the run's budget of turns and tokens: half a play would teach not to finish.
 * @throws ConfigError with the number of the play and what would do.
 */
export async function refuseUnplayable<T extends Task, S>(arena: Playable<T, S> & Pick<Arena<T, S>, "budget">): Promise<void> {
  for (const [index, play] of ownPlays(arena).entries()) {
    const { ending, turns } = await played(arena, play, createRng(0), false);
    if (ending === "terminated" && turns.length === play.actions.length) continue;
    const { turns: allowed, tokens } = arena.budget;
    const reason = play.actions.length > allowed
      ? `has ${play.actions.length} moves; allowed are at most harness.turns, which is ${allowed}`
      : `is cut off after ${turns.length} of ${play.actions.length} moves: its board takes more than policy.context, which is ${tokens}`;
    throw new ConfigError(`play ${index + 1} of environment.plays ${reason}`, { path: "environment.plays", play: index + 1 });
  }
}

/** Demonstrations of the environment's imperfect scripted agent, some of them a person's, as sequences whose actions count as sampled. */
export async function demonstrations<T extends Task, S>(arena: Arena<T, S>, { demonstrations: count, variedShare }: Pick<PretrainSettings, "demonstrations" | "variedShare">, rng: Rng): Promise<readonly TokenSequence[]> {
  const sequences: TokenSequence[] = [];
  const own = arena.plays();
  for (const [index, task] of arena.demonstrationTasks(count, rng.fork("tasks")).entries()) {
    const stream = rng.fork(`demonstration/${index}`);
    // Unconstrained: the policy learns which tokens are legal as well as which are right.
    const spec = { ...arena.spec(task, "demonstration", stream, 0), constrained: false, varyWording: stream.fork("vary").next() < variedShare };
    if (own.length > 0 && stream.fork("own").next() < OWN_SHARE) {
      sequences.push(...(await played(arena, choose(stream.fork("play"), own), stream, spec.varyWording)).sequences);
      continue;
    }
    const { trajectory } = await demonstrate(spec, arena.environment.demonstrator(task, stream.fork("agent"), arena.demonstrationSkill));
    sequences.push(...trajectory.sequences);
  }
  return sequences;
}

/** Fresh demonstrations, as many as an update has trajectories, in its minibatches. */
export async function demonstrationBatches<T extends Task, S>(arena: Arena<T, S>, { algorithm: { groupSize, groupsPerUpdate, minibatches } }: RunConfig, rng: Rng): Promise<readonly TrainBatch[]> {
  const sequences = await demonstrations(arena, { demonstrations: groupSize * groupsPerUpdate, variedShare: PRETRAIN.variedShare }, rng);
  return Array.from({ length: minibatches }, (_, part) => {
    const [from, to] = [part, part + 1].map((edge) => Math.floor((edge * sequences.length) / minibatches));
    return packRows(sequences.slice(from, to).map((sequence, trajectory) => ({ sequence, trajectory })));
  });
}

/** Cosine from 1 to 0.1. */
const schedule = (step: number, steps: number): number => 0.1 + 0.45 * (1 + cos((Math.PI * step) / steps));

/** Imitation reads no clip range. */
const IMITATION = { objective: { id: "sft", ...OBJECTIVES.sft.defaults }, clipLow: 1, clipHigh: 1 } as const;

/** Supervised warm start by masked cross-entropy; yields the mean loss of every 100 steps. */
export async function* imitate(policy: EnginePolicy, sequences: readonly TokenSequence[], settings: PretrainSettings, rng: Rng): AsyncGenerator<{ readonly step: number; readonly loss: number }, void> {
  const taken = new Steps(policy, IMITATION, (what, value) => new PolicyError(`the ${what} of imitation is ${value}: try a smaller learning rate`));
  for (let step = 1; step <= settings.steps; step += 1) {
    const stream = rng.fork(`step/${step}`);
    const rows = Array.from({ length: settings.batch }, (_, trajectory) => ({ sequence: choose(stream, sequences), trajectory }));
    const batch = packRows(rows);
    await taken.take(batch, settings.learningRate * schedule(step, settings.steps) * Math.min(1, step / 20));
    if (step % 100 === 0 || step === settings.steps) yield { step, loss: mean((await taken.measured()).map(({ loss }) => loss)) };
  }
}
