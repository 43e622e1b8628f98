import engineUrl from "@jitl/quickjs-wasmfile-release-sync/wasm?url";
import { SandboxError } from "#core/errors.ts";

/** Fetches and compiles the engine in a page or worker. */
export async function compileEngine(): Promise<WebAssembly.Module> {
  const response = await fetch(engineUrl).catch(() => undefined);
  if (!response?.ok) throw new SandboxError(`the JavaScript engine could not be loaded${response ? ` (status ${response.status})` : ""}`);
  return WebAssembly.compile(await response.arrayBuffer());
}
