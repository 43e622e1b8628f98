import { fingerprint } from "#core/json.ts";
import { writeCheckpoint } from "#engine/checkpoint.ts";
import type { ModelConfig } from "#engine/model.ts";
import type { RunSnapshot } from "#run/run-snapshot.ts";

/** A safetensors file. */
export interface CheckpointFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of the weights. */
  readonly fingerprint: string;
}

/** The weights of a run after an update, and in the notes where they come from. The command line starts runs from such files. */
export function checkpointFile({ config, arithmetic, update, policy: { weights } }: RunSnapshot, model: ModelConfig): CheckpointFile {
  const notes = { preset: config.preset, seed: String(config.seed), update: String(update), arithmetic, fingerprint: fingerprint(weights) };
  return { bytes: writeCheckpoint({ model, weights, notes }), fingerprint: notes.fingerprint };
}
