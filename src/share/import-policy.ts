import { PolicyError } from "#core/errors.ts";
import { readCheckpoint, type Checkpoint } from "#engine/checkpoint.ts";
import { readWeights } from "#engine/onnx/read-weights.ts";

/** In bytes: of either form. */
export const MAX_POLICY_FILE = 16 * 1024 * 1024;

export interface ImportedPolicy extends Checkpoint {
  readonly form: "safetensors" | "onnx";
}

/** A model begins with its format's version as field 1; safetensors with a length whose upper bytes are 0. */
const isOnnx = (bytes: Uint8Array): boolean => bytes[0] === 0x08 && bytes[2] === 0x12;

/** A policy out of a stranger's file, told by what it begins with. @throws PolicyError that says what was got and what is allowed */
export function importPolicy(bytes: Uint8Array): ImportedPolicy {
  if (bytes.length > MAX_POLICY_FILE) throw new PolicyError(`the file has ${bytes.length} bytes; at most ${MAX_POLICY_FILE} are read`);
  return isOnnx(bytes) ? { ...readWeights(bytes), form: "onnx" } : { ...readCheckpoint(bytes), form: "safetensors" };
}
