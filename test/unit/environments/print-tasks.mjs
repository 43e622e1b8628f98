// Prints the tasks of an environment from a process of its own: print-tasks.mjs ENVIRONMENT SPLIT COUNT SEED
import { createRunnableDevEnvironment, resolveConfig } from "vite";

const [id, split, count, seed] = process.argv.slice(2);
const config = await resolveConfig(
  { configFile: false, logLevel: "error", server: { watch: null, ws: false, hmr: false }, optimizeDeps: { noDiscovery: true, include: [] } },
  "serve",
);
const runner = createRunnableDevEnvironment("ssr", config, { hot: false, runnerOptions: { hmr: false } });
await runner.init();
const { ENVIRONMENTS } = await runner.runner.import("/src/environments/registry.ts");
const { IMPLEMENTATIONS } = await runner.runner.import("/src/environments/implementations.ts");
const { createRng } = await runner.runner.import("/src/core/rng.ts");
const name = /** @type {string} */ (id);
process.stdout.write(JSON.stringify(IMPLEMENTATIONS[name].create({}).tasks(ENVIRONMENTS[name].defaults, split, Number(count), createRng(Number(seed)))));
await runner.close();
