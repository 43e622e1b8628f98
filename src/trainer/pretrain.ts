import { packRows } from "#algorithms/batch.ts";
import { sft } from "#algorithms/objectives/sft.ts";
import type { Rng } from "#core/chance.ts";
import type { Task } from "#core/environment.ts";
import { cos } from "#core/math.ts";
import { choose, drawIndex } from "#core/rng.ts";
import type { TokenSequence } from "#core/tokens.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";
import { demonstrate } from "#harness/demonstrate.ts";
import type { Arena } from "./arena.ts";

export interface PretrainSettings {
  readonly demonstrations: number;
  readonly steps: number;
  readonly batch: number;
  readonly learningRate: number;
  /** Share of demonstrations in a drawn wording instead of the plain one. */
  readonly variedShare: number;
  /** Most padding tokens put before a demonstration, uniformly many: what is learnt must not lean on absolute positions. */
  readonly mostPadding: number;
}

export const PRETRAIN: PretrainSettings = { demonstrations: 100000, steps: 10000, batch: 32, learningRate: 5e-3, variedShare: 0.25, mostPadding: 12 };

/** Demonstrations of the environment's imperfect scripted agent, as sequences whose actions count as sampled. */
export async function demonstrations<T extends Task, S>(arena: Arena<T, S>, { demonstrations: count, variedShare }: PretrainSettings, rng: Rng): Promise<readonly TokenSequence[]> {
  const sequences: TokenSequence[] = [];
  for (const [index, task] of arena.tasks("train", count, rng.fork("tasks")).entries()) {
    const stream = rng.fork(`demonstration/${index}`);
    // Unconstrained: the policy learns which tokens are legal as well as which are right.
    const spec = { ...arena.spec(task, "demonstration", stream, 0), constrained: false, varyWording: stream.fork("vary").next() < variedShare };
    const { trajectory } = await demonstrate(spec, arena.environment.demonstrator(task, stream.fork("agent"), arena.demonstrationSkill));
    sequences.push(...trajectory.sequences);
  }
  return sequences;
}

/** The same sequence `count` positions later. */
function shifted({ tokens, spans, behaviorLogprobs, automatonStates }: TokenSequence, count: number): TokenSequence {
  const later = <A extends Uint32Array | Float32Array | Uint16Array>(values: A, result: A): A => {
    result.set(values, count);
    return result;
  };
  const length = tokens.length + count;
  return {
    tokens: later(tokens, new Uint32Array(length)),
    spans: [{ start: 0, end: count, role: "system", sampled: false }, ...spans.map((span) => ({ ...span, start: span.start + count, end: span.end + count }))],
    behaviorLogprobs: later(behaviorLogprobs, new Float32Array(length)),
    automatonStates: later(automatonStates, new Uint16Array(length)),
  };
}

/** Cosine from 1 to 0.1. */
const schedule = (step: number, steps: number): number => 0.1 + 0.45 * (1 + cos((Math.PI * step) / steps));

/** Supervised warm start by masked cross-entropy; yields the mean loss of every 100 steps. */
export async function* imitate(policy: EnginePolicy, sequences: readonly TokenSequence[], settings: PretrainSettings, rng: Rng): AsyncGenerator<{ readonly step: number; readonly loss: number }, void> {
  let sum = 0;
  for (let step = 1; step <= settings.steps; step += 1) {
    const stream = rng.fork(`step/${step}`);
    const rows = Array.from({ length: settings.batch }, (_, trajectory) => ({
      sequence: shifted(choose(stream, sequences), drawIndex(stream, settings.mostPadding + 1)), trajectory,
    }));
    const batch = packRows(rows);
    const pass = await policy.forward(batch);
    const grads = sft(batch, pass.stats, { aggregation: "tokenMean" });
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
