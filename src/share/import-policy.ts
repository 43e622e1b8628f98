import { PolicyError } from "#core/errors.ts";
import { readCheckpoint, type Checkpoint } from "#engine/checkpoint.ts";
import { readOnnx } from "#engine/onnx/read.ts";
import { readWeights } from "#engine/onnx/read-weights.ts";

/** In bytes: of either form. */
export const MAX_POLICY_FILE = 16 * 1024 * 1024;

export interface ImportedPolicy extends Checkpoint {
  readonly form: "safetensors" | "onnx";
}

/** A model begins with its format's version as field 1, then comes another field; safetensors with a length of at most 64 kB, whose third byte is 0 or 1. */
const isOnnx = ([first, , third = 0]: Uint8Array): boolean => first === 0x08 && third > 1;

/** Whether a file is a model that may act, though no run can start from it: tokens go in and logits come out. Whatever else it must be is seen as it is loaded. */
export function mayAct(bytes: Uint8Array): boolean {
  if (bytes.length > MAX_POLICY_FILE || !isOnnx(bytes)) return false;
  try {
    const { inputs, outputs } = readOnnx(bytes);
    return inputs.some(({ name }) => name === "tokens") && outputs.some(({ name }) => name === "logits");
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return false;
  }
}

/** A policy out of a stranger's file, told by what it begins with. @throws PolicyError that says what was got and what is allowed */
export function importPolicy(bytes: Uint8Array): ImportedPolicy {
  if (bytes.length > MAX_POLICY_FILE) throw new PolicyError(`the file has ${bytes.length} bytes; at most ${MAX_POLICY_FILE} are read`);
  return isOnnx(bytes) ? { ...readWeights(bytes), form: "onnx" } : { ...readCheckpoint(bytes), form: "safetensors" };
}
