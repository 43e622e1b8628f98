import type { DeviceBuffer, Executor } from "./executor.ts";
import type { View } from "./kernel.ts";
import { STATS_FIELDS } from "./kernels/legal.ts";
import { tokenGradient } from "./kernels/token-gradient/index.ts";
import { tokenKl } from "./kernels/token-kl/index.ts";
import { tokenStats } from "./kernels/token-stats/index.ts";
import type { PackedBatch } from "./packing.ts";
import type { Transformer } from "./transformer.ts";
import type { Workspace } from "./workspace.ts";

/** Legal tokens of every automaton state: [states, words] bits. */
export interface LegalTable {
  readonly bits: DeviceBuffer;
  readonly words: number;
}

/** What a policy is trained on and with; all of it its owner's. */
export interface TrainingParts {
  readonly executor: Executor;
  readonly workspace: Workspace;
  readonly model: Transformer;
  readonly weights: DeviceBuffer;
  readonly legal: LegalTable;
  /** Gradients are added here. */
  readonly shards: DeviceBuffer;
}

/** Uploads into a scratch buffer of that name. */
export function uploaded({ executor, workspace }: Pick<TrainingParts, "executor" | "workspace">, name: string, values: View): DeviceBuffer {
  const buffer = workspace.get(name, values instanceof Float32Array ? "f32" : "u32", values.length);
  executor.upload(buffer, values);
  return buffer;
}

interface Measured {
  readonly logits: DeviceBuffer;
  /** Of `token-stats`. */
  readonly stats: DeviceBuffer;
}

/** A forward pass over the rows of a batch that is queued or done, with all that its gradient needs; nothing of it was read. */
export interface TrainingPass extends Measured {
  readonly packed: PackedBatch;
  /** Under the reference policy, where one was given. */
  readonly reference: Measured | undefined;
  /** [picks] of `token-kl`, with a reference. */
  readonly kl: DeviceBuffer | undefined;
  /** [picks, 4], the value first; where wanted. */
  readonly values: DeviceBuffer | undefined;
  /** Adds the gradient to the shards. @param coefficients of `token-gradient` @param dValues [picks, 4] */
  backward(coefficients: DeviceBuffer, dValues: DeviceBuffer | undefined): void;
}

/** @param packed with a token to learn from at least */
export function trainingPass(parts: TrainingParts, packed: PackedBatch, { reference, values: hasValues }: { readonly reference: DeviceBuffer | undefined; readonly values: boolean }): TrainingPass {
  const { executor, workspace, model, weights, legal, shards } = parts;
  const { pickCount, chunks } = packed;
  const upload = (name: string, values: View): DeviceBuffer => uploaded(parts, name, values);
  const { headColumns, config: { vocabulary } } = model.layout;
  const given = { vocabulary, stride: headColumns, words: legal.words, rows: pickCount };
  const [rows, pick, targets] = [upload("train.rows", packed.rows), upload("train.pick", packed.pick), upload("train.targets", packed.targets)];

  const measured = (from: DeviceBuffer, scope: "train" | "pass"): Measured => {
    const x = model.trunk(from, rows, chunks, scope);
    const logits = model.logits(from, model.pick(x, pick, pickCount, `${scope}.picked`), pickCount, scope);
    const stats = workspace.get(`${scope}.stats`, "f32", pickCount * STATS_FIELDS);
    executor.run(tokenStats, [logits, targets, legal.bits, stats], given);
    return { logits, stats };
  };
  const compared = reference && measured(reference, "pass");
  const { logits, stats } = measured(weights, "train");
  const values = hasValues ? model.values(weights, pickCount, "train") : undefined;
  const kl = compared && workspace.get("train.kl", "f32", pickCount);
  if (compared && kl) executor.run(tokenKl, [logits, compared.logits, targets, legal.bits, stats, compared.stats, kl], given);
  return {
    packed, logits, stats, reference: compared, kl, values,
    backward(coefficients, dValues) {
      const dLogits = workspace.get("train.dLogits", "f32", pickCount * headColumns);
      executor.run(tokenGradient, [logits, compared?.logits ?? logits, targets, legal.bits, stats, compared?.stats ?? stats, coefficients, dLogits], given);
      const starts = { rows: upload("train.rowShards", packed.rowShards), picked: upload("train.pickShards", packed.pickShards) };
      model.backward(weights, shards, rows, chunks, { pick, place: upload("train.place", packed.place), count: pickCount }, starts, dLogits, dValues);
    },
  };
}
