import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { FileError } from "#core/errors.ts";
import { writeCheckpoint, type Checkpoint } from "#engine/checkpoint.ts";
import { layoutOf } from "#engine/model.ts";
import { exportOnnx } from "#engine/onnx/export.ts";
import type { RunConfig } from "#run/run-config.ts";
import { settingsOf } from "#run/settings-changes.ts";
import { atifLines } from "#share/export/atif.ts";
import { chatLines } from "#share/export/chat.ts";
import { metricsCsv } from "#share/export/csv.ts";
import { TOOLS_OF } from "#share/export/tool-schemas.ts";
import { VERSION } from "#share/export/version.ts";
import { readRunFile, type RunFile } from "#share/run-file-reader.ts";
import { withArena } from "#trainer/arena.ts";
import { modelOf } from "#trainer/open-policy.ts";
import { codeRunner } from "../code-runner.ts";
import type { Command } from "../command.ts";
import { loadCheckpoint, save } from "../host.ts";
import { oneOfWords, presetOf } from "../options.ts";
import { UsageError } from "../usage-error.ts";

const FORMATS = ["onnx", "safetensors", "chat", "atif", "csv"] as const;
type Format = (typeof FORMATS)[number];

const OPTIONS = {
  format: { type: "string", default: "onnx" }, policy: { type: "string" }, run: { type: "string" }, out: { type: "string" }, words: { type: "string" }, successes: { type: "boolean", default: false },
} as const;

export const exportPolicy: Command = {
  summary: "write a policy or a run in another format",
  usage: [
    "usage: turnwise export [--format FORMAT] (--policy FILE | --run FILE) --out FILE", "       turnwise export --words PRESET", "",
    `  --format FORMAT   ${FORMATS.join(", ")} (default onnx)`,
    "  --policy FILE     a checkpoint (safetensors): for onnx",
    "  --run FILE        a run file (run.json.gz): for chat, atif and csv, and, where it has weights, for onnx and safetensors",
    "  --successes       chat: only trajectories that succeeded",
    "  --out FILE        where it goes; onnx is opset 17 (docs/onnx.md)",
    "  --words PRESET    print the vocabulary instead, a word a line in the order of the tokens", "",
  ].join("\n"),
  async run(argv) {
    const { values } = parseArgs({ args: [...argv], options: OPTIONS });
    if (values.words !== undefined) {
      if (values.policy !== undefined || values.run !== undefined || values.out !== undefined) throw new UsageError("--words stands alone: leave --policy, --run and --out out");
      const words = withArena(presetOf(values.words), ({ harness }) => harness.vocabulary.words, { codeRunner: codeRunner() });
      process.stdout.write(`${words.join("\n")}\n`);
      return 0;
    }
    const format = oneOfWords("format", values.format, FORMATS);
    if (values.out === undefined) throw new UsageError("--out is missing: where should the file go?");
    if ((values.policy === undefined) === (values.run === undefined)) throw new UsageError("give one of --policy and --run: what is to be written?");
    const bytes =
      values.policy !== undefined ? ofPolicy(await loadCheckpoint(values.policy), format) : await ofRun(await loadRun(values.run ?? ""), format, values.successes);
    await save(values.out, bytes);
    process.stdout.write(`${values.out}: ${bytes.length} ${typeof bytes === "string" ? "characters" : "bytes"}\n`);
    return 0;
  },
};

function ofPolicy(checkpoint: Checkpoint, format: Format): Uint8Array {
  if (format === "onnx") return exportOnnx(layoutOf(checkpoint.model), checkpoint.weights);
  if (format === "safetensors") return writeCheckpoint(checkpoint);
  throw new UsageError(`--format ${format} is made of a run: give --run instead of --policy`);
}

async function ofRun({ events, snapshot, title }: RunFile, format: Format, onlySuccesses: boolean): Promise<Uint8Array | string> {
  const started = events[0];
  if (started?.type !== "run-started") throw new UsageError("the run has no beginning");
  const config: RunConfig = settingsOf(events, snapshot) ?? started.config;
  if (format === "csv") return metricsCsv(config, title, events);
  if (format === "onnx" || format === "safetensors") {
    if (snapshot === null) throw new UsageError("the run file has no weights: give --policy with the checkpoint beside it");
    const notes = { preset: config.preset, seed: String(config.seed), update: String(snapshot.update), arithmetic: snapshot.arithmetic };
    return ofPolicy({ model: modelOf(config, started.vocabulary), weights: snapshot.policy.weights, notes }, format);
  }
  const tools = await TOOLS_OF[config.environment.id]();
  return format === "chat" ? chatLines(config, events, tools, { onlySuccesses }) : atifLines({ config, events, tools, version: VERSION });
}

/** @throws UsageError when the file cannot be read or is no run. */
async function loadRun(path: string): Promise<RunFile> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  });
  try {
    return await readRunFile(new Uint8Array(bytes), { breathe: () => Promise.resolve() });
  } catch (error) {
    throw error instanceof FileError ? new UsageError(`${path}: ${error.message}`) : error;
  }
}
