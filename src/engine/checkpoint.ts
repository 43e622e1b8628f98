import { PolicyError } from "#core/errors.ts";
import { layoutOf, type ModelConfig, type ModelLayout } from "./model.ts";

/** Weights with the model they belong to. */
export interface Checkpoint {
  readonly model: ModelConfig;
  /** In the order of the model's tensor list. */
  readonly weights: Float32Array<ArrayBuffer>;
  readonly notes: Readonly<Record<string, string>>;
}

const MAX_HEADER = 65536;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Writes safetensors: 8 bytes little-endian header length, JSON header, row-major little-endian data. The model's sizes stand in
 * `__metadata__`, beside `notes`.
 */
export function writeCheckpoint({ model, weights, notes }: Checkpoint): Uint8Array<ArrayBuffer> {
  const layout = layoutOf(model);
  if (weights.length !== layout.parameters) throw new PolicyError(`got ${weights.length} weights, the model has ${layout.parameters}`);
  const header: Record<string, unknown> = {
    __metadata__: {
      format: "turnwise-policy/1", layers: String(model.layers), width: String(model.width), context: String(model.context),
      vocabulary: String(model.vocabulary), valueHead: String(model.valueHead), ...notes,
    },
  };
  let start = 0;
  for (const { name, shape, size } of layout.tensors) {
    header[name] = { dtype: "F32", shape, data_offsets: [start * 4, (start + size) * 4] };
    start += size;
  }
  const text = JSON.stringify(header);
  const encoded = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 8) * 8, " "));
  const bytes = new Uint8Array(8 + encoded.length + weights.length * 4);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(encoded.length), true);
  bytes.set(encoded, 8);
  const view = new DataView(bytes.buffer, 8 + encoded.length);
  for (const [index, weight] of weights.entries()) view.setFloat32(index * 4, weight, true);
  return bytes;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null && !Array.isArray(value);

function readHeader(bytes: Uint8Array): { readonly header: Readonly<Record<string, unknown>>; readonly dataStart: number } {
  if (bytes.length < 8) throw new PolicyError(`the file has ${bytes.length} bytes, too few for safetensors`);
  if (bytes.length > MAX_BYTES) throw new PolicyError(`the file has ${bytes.length} bytes, allowed are ${MAX_BYTES}`);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
  if (length > BigInt(MAX_HEADER)) throw new PolicyError(`it is no safetensors file, which begins with the length of its header, at most ${MAX_HEADER}`);
  if (Number(length) + 8 > bytes.length) throw new PolicyError(`the file is cut off: its header of ${length} bytes goes past its end`);
  const dataStart = 8 + Number(length);
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(8, dataStart)));
  } catch {
    throw new PolicyError("the header is not JSON");
  }
  if (!isRecord(header)) throw new PolicyError("the header is not a JSON object");
  return { header, dataStart };
}

function readModel(metadata: unknown): { readonly model: ModelConfig; readonly notes: Record<string, string> } {
  if (!isRecord(metadata) || metadata["format"] !== "turnwise-policy/1") throw new PolicyError("the file's metadata do not name the format turnwise-policy/1");
  const size = (name: string, most: number): number => {
    const value = Number(metadata[name]);
    if (!Number.isInteger(value) || value < 1 || value > most) throw new PolicyError(`metadata ${name} is ${String(metadata[name])}, allowed are 1 to ${most}`);
    return value;
  };
  const model = {
    layers: size("layers", 4), width: size("width", 128), context: size("context", 256), vocabulary: size("vocabulary", 1024), valueHead: metadata["valueHead"] === "true",
  };
  const known = new Set(["format", ...Object.keys(model)]);
  const notes = Object.entries(metadata).filter((entry): entry is [string, string] => !known.has(entry[0]) && typeof entry[1] === "string");
  return { model, notes: Object.fromEntries(notes) };
}

function tensorStart(layout: ModelLayout, header: Readonly<Record<string, unknown>>, index: number, at: number): void {
  const spec = layout.tensors[index];
  const entry = spec && header[spec.name];
  if (!spec || !isRecord(entry)) throw new PolicyError(`the file has no tensor ${spec?.name ?? index}`);
  const { dtype, shape, data_offsets: offsets } = entry;
  if (dtype !== "F32") throw new PolicyError(`tensor ${spec.name} is ${String(dtype)}, allowed is F32`);
  if (JSON.stringify(shape) !== JSON.stringify(spec.shape)) throw new PolicyError(`tensor ${spec.name} has shape ${JSON.stringify(shape)}, needs ${JSON.stringify(spec.shape)}`);
  if (JSON.stringify(offsets) !== JSON.stringify([at * 4, (at + spec.size) * 4])) throw new PolicyError(`tensor ${spec.name} does not lie at ${at * 4}`);
}

/** Reads what `writeCheckpoint` wrote, from anybody. @throws PolicyError that says what is wrong; nothing is kept of a bad file. */
export function readCheckpoint(bytes: Uint8Array): Checkpoint {
  const { header, dataStart } = readHeader(bytes);
  const { model, notes } = readModel(header["__metadata__"]);
  const layout = layoutOf(model);
  const names = Object.keys(header).filter((name) => name !== "__metadata__");
  const extra = names.find((name) => !layout.byName.has(name));
  if (extra !== undefined) throw new PolicyError(`the file has a tensor ${JSON.stringify(extra.slice(0, 60))} that the model does not`);
  let at = 0;
  for (const [index, { size }] of layout.tensors.entries()) {
    tensorStart(layout, header, index, at);
    at += size;
  }
  if (bytes.length !== dataStart + at * 4) throw new PolicyError(`the file has ${bytes.length - dataStart} bytes of data, needs ${at * 4}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset + dataStart);
  const weights = new Float32Array(at);
  for (let index = 0; index < at; index += 1) weights[index] = view.getFloat32(index * 4, true);
  if (!weights.every(Number.isFinite)) throw new PolicyError("the file holds weights that are not finite");
  return { model, weights, notes };
}
