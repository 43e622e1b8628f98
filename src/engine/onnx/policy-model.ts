import { PolicyError } from "#core/errors.ts";
import { HEAD_WIDTH } from "../kernels/rows.ts";
import { layoutOf, type ModelConfig } from "../model.ts";
import { elements, OPERATORS, shapeText, type Known } from "./operators.ts";
import { readOnnx, TYPE, type OnnxModel, type OnnxNode, type OnnxValue } from "./read.ts";

/** What a policy must offer to act: a distribution over so many tokens behind contexts of up to so many. */
export interface PolicyFit {
  readonly vocabulary: number;
  readonly context: number;
}

/** An ONNX model that was found to be a policy. */
export interface PolicyModel {
  /** Last size of `logits`; what stands past the vocabulary is not read. */
  readonly columns: number;
  /** Sequences of full length that one call may have. */
  readonly rowsAtOnce: number;
  /** Million multiplications for one sequence of full length. */
  readonly megaMultiplications: number;
  readonly parameters: number;
  /** Where the file holds the engine's own tensors: the model and its weights in the order of the tensor list. */
  readonly own: { readonly model: ModelConfig; readonly weights: Float32Array<ArrayBuffer> } | undefined;
}

/** One sequence may cost so much, so that a call stays far below the two seconds it is given. */
const MOST_MULTIPLICATIONS = 2e9;
const CALL_MULTIPLICATIONS = 4e8;
/** Numbers of all values of a call together; 256 MiB of float32. */
const MOST_ELEMENTS = 2 ** 26;
const MOST_ROWS = 256;

interface Measured {
  readonly values: ReadonlyMap<string, Known>;
  readonly multiplications: number;
  readonly elements: number;
}

/** Works out every shape of the graph for one batch and length. @throws PolicyError */
function measure({ nodes, initializers }: OnnxModel, batch: number, time: number, vocabulary: number): Measured {
  const values = new Map<string, Known>([["tokens", { type: TYPE.INT64, shape: [batch, time], below: vocabulary }]]);
  for (const { name, type, shape, values: numbers } of initializers.values()) {
    if (values.has(name)) throw new PolicyError(`there are two values ${JSON.stringify(name)}`);
    values.set(name, { type, shape, ...(numbers instanceof Float32Array ? {} : { values: numbers }) });
  }
  let [multiplications, all] = [0, 0];
  for (const node of nodes) {
    const outcome = apply(node, values, batch * time === 1 ? "" : `with ${batch} × ${time} tokens, `);
    const [name = ""] = node.outputs;
    if (name === "" || values.has(name)) throw new PolicyError(name === "" ? `${node.operator} has an output without a name` : `there are two values ${JSON.stringify(name)}`);
    values.set(name, outcome);
    multiplications += outcome.multiplications ?? 0;
    all += elements(outcome.shape);
    if (all > MOST_ELEMENTS || multiplications > MOST_MULTIPLICATIONS)
      throw new PolicyError(`the model is too large: for ${batch} × ${time} tokens it needs more than ${all > MOST_ELEMENTS ? `${MOST_ELEMENTS} numbers` : `${MOST_MULTIPLICATIONS / 1e6} million multiplications`} (at ${JSON.stringify(name)})`);
  }
  return { values, multiplications, elements: all };
}

function apply(node: OnnxNode, values: ReadonlyMap<string, Known>, when: string): Known & { readonly multiplications?: number } {
  const operator = Object.hasOwn(OPERATORS, node.operator) ? OPERATORS[node.operator] : undefined;
  if (operator === undefined) throw new PolicyError(`the operator ${JSON.stringify(node.operator)} is not allowed; allowed are ${Object.keys(OPERATORS).toSorted().join(", ")}`);
  const [least, most] = operator.inputs;
  if (node.inputs.length < least || node.inputs.length > most || node.outputs.length !== 1)
    throw new PolicyError(`${node.operator} has ${node.inputs.length} inputs and ${node.outputs.length} outputs, allowed are ${least === most ? least : `${least} to ${most}`} and 1`);
  for (const name of node.attributes.keys()) if (!operator.attributes.includes(name)) throw new PolicyError(`${node.operator} has the attribute ${JSON.stringify(name)}, allowed are ${operator.attributes.length === 0 ? "none" : operator.attributes.join(", ")}`);
  const inputs = node.inputs.map((name) => {
    const known = values.get(name);
    if (known === undefined) throw new PolicyError(`${node.operator} reads ${JSON.stringify(name)}, which nothing before it writes`);
    return known;
  });
  try {
    return operator.infer(inputs, node);
  } catch (error) {
    throw error instanceof PolicyError && when !== "" ? new PolicyError(when + error.message) : error;
  }
}

const described = ({ name, type, shape }: OnnxValue): string => `${JSON.stringify(name)} (element type ${type}, shape ${shapeText(shape)})`;

/**
 * Reads a foreign file and holds it to the contract (docs/onnx.md): input `tokens` int64 [batch, time], output `logits` float32
 * [batch, time, columns]. All shapes are worked out beforehand, for one token, for a few, and for as much as will be asked for at once.
 * @throws PolicyError saying what was found and what is allowed
 */
export function readPolicyModel(bytes: Uint8Array, { vocabulary, context }: PolicyFit): PolicyModel {
  const model = readOnnx(bytes);
  checkEnds(model);
  // What the file says of itself first: it tells more than a table that is too short.
  const said = model.outputs.find(({ name }) => name === "logits")?.shape[2];
  if (typeof said === "number") refuseOtherVocabulary(said, vocabulary);
  const columns = (batch: number, time: number): { readonly columns: number; readonly measured: Measured } => {
    const measured = measure(model, batch, time, vocabulary);
    for (const { name } of model.outputs) if (!measured.values.has(name)) throw new PolicyError(`nothing writes the output ${JSON.stringify(name)}`);
    const logits = measured.values.get("logits");
    const [rows, length, last, ...more] = logits?.shape ?? [];
    if (logits?.type !== TYPE.FLOAT || last === undefined || more.length > 0 || rows !== batch || length !== time)
      throw new PolicyError(`for tokens of shape ${shapeText([batch, time])} logits come out as ${shapeText(logits?.shape ?? [])}, allowed are float32 ${shapeText([batch, time, vocabulary])}`);
    refuseOtherVocabulary(last, vocabulary);
    return { columns: last, measured };
  };
  columns(1, 1);
  columns(2, Math.min(3, context));
  const alone = columns(1, context);
  const { multiplications, elements: size } = alone.measured;
  const rowsAtOnce = Math.max(1, Math.min(MOST_ROWS, Math.floor(CALL_MULTIPLICATIONS / Math.max(1, multiplications)), Math.floor(MOST_ELEMENTS / 2 / size)));
  columns(rowsAtOnce, context);
  const parameters = [...model.initializers.values()].reduce((sum, { type, values }) => sum + (type === TYPE.FLOAT ? values.length : 0), 0);
  return {
    columns: alone.columns,
    rowsAtOnce,
    megaMultiplications: multiplications / 1e6,
    parameters,
    own: ownTensors(model, vocabulary, parameters),
  };
}

function refuseOtherVocabulary(columns: number, vocabulary: number): void {
  const padded = Math.ceil(vocabulary / 4) * 4;
  if (columns !== vocabulary && columns !== padded) throw new PolicyError(`the model has logits for ${columns} tokens, the environment has ${vocabulary}${padded === vocabulary ? "" : ` (${padded} with padding)`}`);
}

function checkEnds({ inputs, outputs, initializers }: OnnxModel): void {
  const [tokens, ...others] = inputs;
  if (tokens === undefined || others.length > 0 || tokens.name !== "tokens" || tokens.type !== TYPE.INT64 || tokens.shape.length !== 2 || tokens.shape.some((size) => typeof size === "number"))
    throw new PolicyError(`the inputs are ${inputs.length === 0 ? "none" : inputs.map(described).join(", ")}; allowed is "tokens" (element type 7, int64; shape [batch, time], both free)`);
  if (initializers.has("tokens")) throw new PolicyError('the input "tokens" is a tensor of the file too');
  const logits = outputs.find(({ name }) => name === "logits");
  if (logits?.type !== TYPE.FLOAT || logits.shape.length !== 3 || outputs.length > 2)
    throw new PolicyError(`the outputs are ${outputs.length === 0 ? "none" : outputs.map(described).join(", ")}; allowed is "logits" (element type 1, float32; shape [batch, time, tokens]), and one more that is not read`);
}

/** The engine's tensors, where all of them are there under their names and in their shapes. */
function ownTensors({ initializers }: OnnxModel, vocabulary: number, parameters: number): PolicyModel["own"] {
  const [context, width] = initializers.get("embed.position")?.shape ?? [];
  if (context === undefined || width === undefined || width % HEAD_WIDTH !== 0 || width === 0) return undefined;
  let layers = 0;
  while (initializers.has(`layers.${layers}.attention.qkv`)) layers += 1;
  const config = { layers, width, context, vocabulary, valueHead: initializers.has("value") };
  const layout = layoutOf(config);
  // A shape with a size of 0 in it may have any other: room is made for what is there.
  if (layout.parameters > parameters) return undefined;
  const weights = new Float32Array(layout.parameters);
  let start = 0;
  for (const { name, shape, size } of layout.tensors) {
    const tensor = initializers.get(name);
    if (tensor === undefined || !(tensor.values instanceof Float32Array) || shapeText(tensor.shape) !== shapeText(shape)) return undefined;
    weights.set(tensor.values, start);
    start += size;
  }
  return { model: config, weights };
}
