// @ts-check
/** Entry of a worker thread that runs code nobody trusts. */
import { importModule } from "./module-runner.mjs";

await importModule("/src/cli/sandbox-thread.ts");
