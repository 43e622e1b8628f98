import { packRows } from "#algorithms/batch.ts";
import { evaluateObjective } from "#algorithms/objectives/implementations.ts";
import { OBJECTIVES } from "#algorithms/objectives/registry.ts";
import type { Rng } from "#core/chance.ts";
import type { Task } from "#core/environment.ts";
import { cos } from "#core/math.ts";
import type { TrainBatch } from "#core/objective.ts";
import { choose } from "#core/rng.ts";
import type { TokenSequence } from "#core/tokens.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";
import { demonstrate } from "#harness/demonstrate.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { LoopHarness } from "#harness/tool-loop.ts";
import type { Arena } from "./arena.ts";

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

/** Demonstrations of the environment's imperfect scripted agent, as sequences whose actions count as sampled. */
export async function demonstrations<T extends Task, S>(arena: Arena<T, S>, { demonstrations: count, variedShare }: Pick<PretrainSettings, "demonstrations" | "variedShare">, rng: Rng): Promise<readonly TokenSequence[]> {
  const sequences: TokenSequence[] = [];
  for (const [index, task] of arena.demonstrationTasks(count, rng.fork("tasks")).entries()) {
    const stream = rng.fork(`demonstration/${index}`);
    // Unconstrained: the policy learns which tokens are legal as well as which are right.
    const spec = { ...arena.spec(task, "demonstration", stream, 0), constrained: false, varyWording: stream.fork("vary").next() < variedShare };
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
  let sum = 0;
  for (let step = 1; step <= settings.steps; step += 1) {
    const stream = rng.fork(`step/${step}`);
    const rows = Array.from({ length: settings.batch }, (_, trajectory) => ({ sequence: choose(stream, sequences), trajectory }));
    const batch = packRows(rows);
    const pass = await policy.forward(batch);
    const grads = evaluateObjective(IMITATION, batch, pass.stats);
    await pass.backward(grads);
    pass.dispose();
    await policy.applyUpdate(settings.learningRate * schedule(step, settings.steps) * Math.min(1, step / 20));
    sum += grads.loss;
    if (step % 100 === 0 || step === settings.steps) {
      yield { step, loss: sum / (step % 100 === 0 ? 100 : step % 100) };
      sum = 0;
    }
  }
}
