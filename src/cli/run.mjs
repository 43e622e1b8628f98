// @ts-check
/**
 * Starts the TypeScript command line. Node 20 reads no TypeScript, no `?raw` and no `#layer` import by itself; Vite's module
 * runner reads all three, without a server, a watcher or a configuration file.
 */
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

// Before any module is compiled: Node 20 has relaxed SIMD only behind this flag.
setFlagsFromString("--experimental-wasm-relaxed-simd");

const { createRunnableDevEnvironment, resolveConfig } = await import("vite");

// A reader that closes early (`| head`) ends the command quietly.
process.stdout.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
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

/** @type {{ main(argv: string[]): Promise<number> }} */
const { main } = await environment.runner.import("/src/cli/main.ts");
const code = await main(process.argv.slice(2));

// Exit by hand, so that a forgotten worker or timer cannot hold the process, but only after what was written has left.
for (const stream of [process.stdout, process.stderr]) await new Promise((done) => stream.write("", done));
process.exit(code);
