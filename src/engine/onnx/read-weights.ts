import { PolicyError } from "#core/errors.ts";
import type { Checkpoint } from "../checkpoint.ts";
import { layoutOf, type ModelConfig } from "../model.ts";
import { exportOnnx } from "./export.ts";
import { readOnnx, type OnnxTensor } from "./read.ts";

const bounded = (what: string, value: number | undefined, most: number): number => {
  if (value === undefined || !Number.isInteger(value) || value < 1 || value > most) throw new PolicyError(`the model's ${what} is ${value ?? "missing"}, allowed are 1 to ${most}`);
  return value;
};

function modelOf(tensors: ReadonlyMap<string, OnnxTensor>): ModelConfig {
  const [vocabulary, width] = tensors.get("embed.token")?.shape ?? [];
  const layers = [...tensors.keys()].filter((name) => /^layers\.\d+\.mlp\.norm$/.test(name)).length;
  return {
    layers: bounded("number of layers", layers, 4), width: bounded("width", width, 128), context: bounded("context", tensors.get("embed.position")?.shape[0], 256),
    vocabulary: bounded("vocabulary", vocabulary, 1024), valueHead: tensors.has("value"),
  };
}

/**
 * The policy in a model that `exportOnnx` wrote: weights are taken out, and the model must be, byte for byte, what is written for them, so that
 * nothing else can hide in it. @throws PolicyError that says what is wrong
 */
export function readWeights(bytes: Uint8Array): Checkpoint {
  const tensors = readOnnx(bytes).initializers;
  const model = modelOf(tensors);
  if (model.width % 16 !== 0) throw new PolicyError(`the model's width is ${model.width}, allowed are multiples of 16`);
  const layout = layoutOf(model);
  const weights = new Float32Array(layout.parameters);
  let at = 0;
  for (const { name, size } of layout.tensors) {
    const values = tensors.get(name)?.values;
    if (!(values instanceof Float32Array) || values.length !== size)
      throw new PolicyError(`the model's tensor ${name} has ${values === undefined ? "no values" : `${values.length} numbers`}, needs ${size}`);
    weights.set(values, at);
    at += size;
  }
  if (!weights.every(Number.isFinite)) throw new PolicyError("the model holds weights that are not finite");
  const ours = exportOnnx(layout, weights);
  if (ours.length !== bytes.length || ours.some((byte, index) => byte !== bytes[index]))
    throw new PolicyError("the model is another than Turnwise writes for such weights; its own exports can be read, other models can be played but not trained");
  return { model, weights, notes: {} };
}
