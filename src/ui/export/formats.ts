import { PolicyError } from "#core/errors.ts";
import type { ModelConfig } from "#engine/model.ts";
import { vocabularyOf, type ExportSource } from "./export-source.ts";

interface MadeFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

interface ExportFormat {
  readonly title: string;
  /** What is in it, and what reads it. */
  readonly help: string;
  /** Behind the run's name. */
  readonly ending: (source: ExportSource) => string;
  readonly needsWeights: boolean;
  make(source: ExportSource): Promise<MadeFile>;
}

const text = (content: string, type: string): MadeFile => ({ bytes: new TextEncoder().encode(content), type });
const updateOf = ({ snapshot }: ExportSource): string => `update-${snapshot?.update ?? 0}`;
const modelOf = (source: ExportSource): ModelConfig => ({ ...source.config.policy, vocabulary: vocabularyOf(source) });
const tools = async ({ config }: ExportSource) => (await import("#share/export/tool-schemas.ts")).TOOLS_OF[config.environment.id]();

async function checkpointOf(source: ExportSource): Promise<Uint8Array<ArrayBuffer>> {
  if (source.snapshot === null) throw new PolicyError("the weights of this run's last update are not known");
  const { checkpointFile } = await import("#trainer/checkpoint-file.ts");
  return checkpointFile(source.snapshot, modelOf(source)).bytes;
}

const chat = (onlySuccesses: boolean) => async (source: ExportSource) => {
  const { chatLines } = await import("#share/export/chat.ts");
  return text(chatLines(source.config, source.events, await tools(source), { onlySuccesses }), "application/jsonl");
};

/** In the order in which they are offered. What makes them is loaded when it is wanted. */
export const FORMATS = {
  run: {
    title: "Run file", help: "Everything: groups, numbers, evaluations and, if known, the last weights. Opens here again, on any device.", ending: () => "run.json.gz", needsWeights: false,
    make: async (source) => ({ bytes: (await import("#share/run-file.ts")).writeRunFile(source.events, source), type: "application/gzip" }),
  },
  safetensors: {
    title: "Weights, safetensors", help: "For PyTorch, JAX, the command line, and as a start policy here.", ending: (source) => `${updateOf(source)}.safetensors`, needsWeights: true,
    make: async (source) => ({ bytes: await checkpointOf(source), type: "application/octet-stream" }),
  },
  onnx: {
    title: "Weights, ONNX", help: "Opset 17, basic operators: runs in onnxruntime, in Python or on the web.", ending: (source) => `${updateOf(source)}.onnx`, needsWeights: true,
    make: async (source) => {
      const bytes = await checkpointOf(source);
      const [{ readCheckpoint }, { exportOnnx }, { layoutOf }] = await Promise.all([import("#engine/checkpoint.ts"), import("#engine/onnx/export.ts"), import("#engine/model.ts")]);
      const { model, weights } = readCheckpoint(bytes);
      return { bytes: exportOnnx(layoutOf(model), weights), type: "application/octet-stream" };
    },
  },
  chat: {
    title: "Trajectories, chat", help: "JSON lines of messages, tool_calls and tools, as TRL and fine-tuning services read them.", ending: () => "chat.jsonl", needsWeights: false,
    make: chat(false),
  },
  successes: {
    title: "Successful ones, chat", help: "The same, of the trajectories that succeeded: what one would imitate.", ending: () => "successes.chat.jsonl", needsWeights: false, make: chat(true),
  },
  atif: {
    title: "Trajectories, ATIF 1.7", help: "One trajectory a line, with log-probabilities, rewards and credit of each turn.", ending: () => "atif.jsonl", needsWeights: false,
    make: async (source) => {
      const [{ atifLines }, { VERSION }] = await Promise.all([import("#share/export/atif.ts"), import("#share/export/version.ts")]);
      return text(atifLines({ config: source.config, events: source.events, tools: await tools(source), version: VERSION }), "application/jsonl");
    },
  },
  csv: {
    title: "Numbers, CSV", help: "A row an update: rewards, losses, evaluations with their intervals.", ending: () => "metrics.csv", needsWeights: false,
    make: async (source) => text((await import("#share/export/csv.ts")).metricsCsv(source.config, source.title, source.events), "text/csv"),
  },
} as const satisfies Record<string, ExportFormat>;

export type FormatId = keyof typeof FORMATS;
export const FORMAT_IDS = Object.keys(FORMATS) as readonly FormatId[];
