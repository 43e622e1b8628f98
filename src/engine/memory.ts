import { KernelError } from "#core/errors.ts";
import { COEFFICIENT_FIELDS, STATS_FIELDS } from "./kernels/legal.ts";
import { HEAD_WIDTH, ROW_FIELDS, SHARDS } from "./kernels/rows.ts";
import { ACTION_FIELDS } from "./kernels/sample-token/index.ts";
import type { ModelLayout } from "./model.ts";
import { REPORT } from "./optimizer.ts";
import { SLOTS_AT_ONCE } from "./sampler.ts";
import { GROWTH } from "./workspace.ts";

/** The most that is asked of a policy at a time. */
export interface WorkLoad {
  /** Input tokens of a forward pass that is learnt from, and how many of them predict a token learnt from. */
  readonly rows: number;
  readonly picks: number;
  /** Contexts sampled together, the tokens of them that are computed in one call, and the tokens of an action. */
  readonly contexts: number;
  readonly contextTokens: number;
  readonly actionTokens: number;
  /** Whether a reference policy is compared with. */
  readonly hasReference: boolean;
}

const BYTES = 4;

/**
 * Bytes of all buffers a policy has when it was asked for that much: weights, moments and gradient sums; what a forward pass leaves
 * for its gradient; keys and values of every context. Held to what is allocated by a test, within a tenth.
 * @param automatonStates of the legal-token automaton
 * @param rowsAtOnce of the executor, for this model
 */
export function memoryOf({ config, padded, headColumns, tensors }: ModelLayout, automatonStates: number, rowsAtOnce: number, load: WorkLoad): number {
  const { layers, width, vocabulary, context, valueHead } = config;
  const { rows, picks, contexts, hasReference } = load;
  const chunk = (count: number): number => Math.min(count, rowsAtOnce);
  const layerRow = 11 * width + (2 * width) / HEAD_WIDTH + 2;
  const parameters = padded * (1 + SHARDS + 3 + (hasReference ? 1 : 0)) + REPORT;
  const tables = automatonStates * (vocabulary + 1 + Math.ceil(vocabulary / 32));
  const turned = tensors.reduce((sum, { shape, size }) => sum + (shape.length === 2 ? size : 0), 0) - (2 * vocabulary + context) * width;
  const kept = rows * ((layers + 1) * width + layers * layerRow + ROW_FIELDS + 1) + chunk(rows) * 9 * width;
  const measured = 2 * width + 1 + headColumns + STATS_FIELDS;
  const learnt = picks * (measured + 3 + headColumns + COEFFICIENT_FIELDS + 2 * width + (valueHead ? 8 + width : 0) + (hasReference ? 1 + measured : 0));
  const unkept = (count: number): number => count * width + chunk(count) * (layerRow + 2 * width);
  const passes = Math.max(hasReference ? unkept(rows) : 0, unkept(load.contextTokens));
  const sampled = load.contextTokens * ROW_FIELDS + contexts * (1 + 2 * width + 1 + headColumns + ROW_FIELDS + load.actionTokens * (1 + ACTION_FIELDS));
  const cache = Math.ceil(contexts / SLOTS_AT_ONCE) * SLOTS_AT_ONCE * context * 2 * width * layers;
  return BYTES * (parameters + tables + cache + GROWTH * (turned + kept + learnt + passes + sampled));
}

/** @param what takes that many bytes, as it is said. @throws KernelError before anything is allocated that will not fit */
export function refuseUnfit(what: string, bytes: number, limit: number): void {
  if (bytes <= limit) return;
  const megabytes = (amount: number): string => `${Math.round(amount / 1e6).toLocaleString("en")} MB`;
  throw new KernelError(`out of memory: ${what} takes ${megabytes(bytes)}, and there are ${megabytes(limit)}`, { fault: "out-of-memory" });
}
