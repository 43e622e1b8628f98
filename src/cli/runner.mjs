// @ts-check
/**
 * Runs the project's TypeScript in Node. Node 20 reads no TypeScript, no `?raw` and no `#layer` import by itself; Vite's module
 * runner reads all three, without a server, a watcher or a configuration file.
 */
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

// Before any module is compiled. Node 20 has relaxed SIMD only behind a flag, and unrolls the loops of the kernels until their sums do not
// fit into registers: gradients of products take a fifth longer.
if (process.versions.node.startsWith("20.")) for (const flag of ["--experimental-wasm-relaxed-simd", "--no-wasm-loop-unrolling"]) setFlagsFromString(flag);

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/**
 * @template T
 * @param {string} path from the project's root, such as `/src/cli/main.ts`
 * @returns {Promise<T>} what the module exports
 */
export async function importModule(path) {
  const { createRunnableDevEnvironment, resolveConfig } = await import("vite");
  const config = await resolveConfig(
    {
      root,
      configFile: false,
      envDir: false,
      publicDir: false,
      logLevel: "error",
      server: { watch: null, ws: false, hmr: false },
      optimizeDeps: { noDiscovery: true, include: [] },
    },
    "serve",
  );
  const environment = createRunnableDevEnvironment("ssr", config, { hot: false, runnerOptions: { hmr: false } });
  await environment.init();
  return environment.runner.import(path);
}
