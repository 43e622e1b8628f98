import type { RunController } from "#store/run-controller.ts";
import type { RunConfig } from "#run/run-config.ts";

/** Hands bytes to the browser as a download. */
export function saveFile(bytes: Uint8Array<ArrayBuffer>, name: string, type = "application/octet-stream"): void {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download has its own hold on the bytes once it has begun.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export const saveText = (text: string, name: string, type: string): void => saveFile(new TextEncoder().encode(text), name, type);

/** @param name of the policy, as it was loaded */
export const saveOnnx = (bytes: Uint8Array<ArrayBuffer>, name: string): void => saveFile(bytes, `${name.replace(/\.(?:onnx|safetensors)$/, "").replaceAll(/[^\w.-]+/g, "-")}.onnx`);

export const nameOf = (config: RunConfig | undefined, rest: string): string =>
  config === undefined ? `turnwise-${rest}` : `turnwise-${config.preset}-seed-${config.seed}-${rest}`;

const configOf = (controller: RunController): RunConfig | undefined => controller.events().find((event) => event.type === "run-started")?.config;

/** All that the run has told so far, and its weights where they are of its last update. */
export async function saveRun(controller: RunController): Promise<void> {
  const [{ writeRunFile }, { liveSource }] = await Promise.all([import("#share/run-file.ts"), import("./export/export-source.ts")]);
  const source = liveSource(controller);
  if (source !== null) saveFile(writeRunFile(source.events, source), nameOf(source.config, "run.json.gz"));
}

/** The weights after an update. @returns what was in the way, null when they are on their way */
export async function saveWeights(controller: RunController, update: number): Promise<string | null> {
  const answer = await controller.checkpoint(update);
  if (!answer.ok) return answer.error.message;
  saveFile(answer.value.bytes, nameOf(configOf(controller), `update-${update}.safetensors`));
  return null;
}
