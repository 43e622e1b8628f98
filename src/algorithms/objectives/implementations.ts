import type { TokenGrads, TokenStats, TrainBatch } from "#core/objective.ts";
import { evaluate as cispo, onDevice as cispoOnDevice } from "./cispo.ts";
import type { ClipRange } from "./clipped-loss.ts";
import { evaluate as clipped, onDevice as clippedOnDevice } from "./clipped.ts";
import { evaluate as dpo } from "./dpo.ts";
import type { AnyEvaluate, AnyOnDevice, DeviceForm, Evaluate, OnDevice } from "./entry.ts";
import { evaluate as gspo } from "./gspo.ts";
import { evaluate as raft, onDevice as raftOnDevice } from "./raft.ts";
import type { ObjectiveConfig, OBJECTIVES } from "./registry.ts";
import { evaluate as reinforce, onDevice as reinforceOnDevice } from "./reinforce.ts";
import { evaluate as sft, onDevice as sftOnDevice } from "./sft.ts";

/** One to each entry of the registry. */
const EVALUATE = { clipped, gspo, cispo, reinforce, dpo, raft, sft } as const satisfies {
  readonly [K in keyof typeof OBJECTIVES]: Evaluate<(typeof OBJECTIVES)[K]["schema"]>;
};

/** The clip range belongs to the algorithm, so that it survives a change of objective; it joins the objective's own settings here. */
export function evaluateObjective(
  { objective, clipLow, clipHigh }: ClipRange & { readonly objective: ObjectiveConfig }, batch: TrainBatch, stats: TokenStats,
): TokenGrads {
  const evaluate: AnyEvaluate = EVALUATE[objective.id];
  return evaluate(batch, stats, { ...objective, clipLow, clipHigh });
}

/** Those whose loss is a sum over tokens; the others look at several tokens at once. */
const ON_DEVICE = { clipped: clippedOnDevice, cispo: cispoOnDevice, reinforce: reinforceOnDevice, raft: raftOnDevice, sft: sftOnDevice } as const satisfies {
  readonly [K in keyof typeof OBJECTIVES]?: OnDevice<(typeof OBJECTIVES)[K]["schema"]>;
};

/** What an engine needs to compute the objective by itself; undefined where these settings have no such form. `evaluateObjective` is the definition. */
export function objectiveOnDevice({ objective, clipLow, clipHigh }: ClipRange & { readonly objective: ObjectiveConfig }, batch: TrainBatch): DeviceForm | undefined {
  const forms: Partial<Record<ObjectiveConfig["id"], AnyOnDevice>> = ON_DEVICE;
  return forms[objective.id]?.(batch, { ...objective, clipLow, clipHigh });
}
