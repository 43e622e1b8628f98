import { PolicyError } from "#core/errors.ts";
import { layoutOf, type ModelConfig } from "../model.ts";
import type { Checkpoint } from "../checkpoint.ts";
import { exportOnnx } from "./export.ts";

const MAX_BYTES = 16 * 1024 * 1024;
const FLOAT = 1;

/** One field of a message: its number, and its value as bytes, or as a number where it is a varint. */
interface Part {
  readonly field: number;
  readonly bytes: Uint8Array;
  readonly value: number;
}

const damaged = (): PolicyError => new PolicyError("the file is no ONNX model: its fields do not fit together");
const NOTHING = new Uint8Array();

/** Walks one message; nothing is read beyond its end. */
function* partsOf(message: Uint8Array): Generator<Part> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 10; shift += 1) {
      const byte = message[at];
      if (byte === undefined) throw damaged();
      at += 1;
      value += (byte & 0x7f) * 2 ** (7 * shift);
      if (byte < 0x80) return value;
    }
    throw damaged();
  };
  while (at < message.length) {
    const tag = varint();
    const [field, kind] = [Math.floor(tag / 8), tag % 8];
    if (kind === 0) yield { field, bytes: NOTHING, value: varint() };
    else if (kind === 2) {
      const length = varint();
      if (at + length > message.length) throw damaged();
      yield { field, bytes: message.subarray(at, at + length), value: 0 };
      at += length;
    } else throw damaged();
  }
}

interface FloatTensor {
  readonly shape: readonly number[];
  readonly raw: Uint8Array;
}

/** TensorProto: dims 1, data_type 2, name 8, raw_data 9. */
function tensorOf(message: Uint8Array): readonly [string, FloatTensor] | null {
  const shape: number[] = [];
  let [name, type] = ["", 0];
  let raw: Uint8Array = NOTHING;
  for (const { field, bytes, value } of partsOf(message)) {
    if (field === 1) shape.push(value);
    else if (field === 2) type = value;
    else if (field === 8) name = new TextDecoder().decode(bytes);
    else if (field === 9) raw = bytes;
  }
  return type === FLOAT ? [name, { shape, raw }] : null;
}

/** The float initialisers of a model: ModelProto.graph 7, GraphProto.initializer 5. */
function tensorsOf(model: Uint8Array): ReadonlyMap<string, FloatTensor> {
  const tensors = new Map<string, FloatTensor>();
  for (const { field, bytes } of partsOf(model)) {
    if (field !== 7) continue;
    for (const part of partsOf(bytes)) {
      const tensor = part.field === 5 ? tensorOf(part.bytes) : null;
      if (tensor !== null) tensors.set(...tensor);
    }
  }
  return tensors;
}

const bounded = (what: string, value: number | undefined, most: number): number => {
  if (value === undefined || !Number.isInteger(value) || value < 1 || value > most) throw new PolicyError(`the model's ${what} is ${value ?? "missing"}, allowed are 1 to ${most}`);
  return value;
};

function modelOf(tensors: ReadonlyMap<string, FloatTensor>): ModelConfig {
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
export function readOnnx(bytes: Uint8Array): Checkpoint {
  if (bytes.length > MAX_BYTES) throw new PolicyError(`the file has ${bytes.length} bytes, allowed are ${MAX_BYTES}`);
  const tensors = tensorsOf(bytes);
  const model = modelOf(tensors);
  if (model.width % 16 !== 0) throw new PolicyError(`the model's width is ${model.width}, allowed are multiples of 16`);
  const layout = layoutOf(model);
  const weights = new Float32Array(layout.parameters);
  let at = 0;
  for (const { name, size } of layout.tensors) {
    const raw = tensors.get(name)?.raw;
    if (raw === undefined || raw.length !== size * 4) throw new PolicyError(`the model's tensor ${name} has ${raw === undefined ? "no values" : `${raw.length} bytes`}, needs ${size * 4}`);
    const view = new DataView(raw.buffer, raw.byteOffset, raw.length);
    for (let index = 0; index < size; index += 1) weights[at + index] = view.getFloat32(index * 4, true);
    at += size;
  }
  if (!weights.every(Number.isFinite)) throw new PolicyError("the model holds weights that are not finite");
  const ours = exportOnnx(layout, weights);
  if (ours.length !== bytes.length || ours.some((byte, index) => byte !== bytes[index]))
    throw new PolicyError("the model is another than Turnwise writes for such weights; its own exports can be read, other models can be played but not trained");
  return { model, weights, notes: {} };
}
