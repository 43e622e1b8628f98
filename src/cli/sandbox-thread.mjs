// @ts-check
/** Entry of a worker thread that runs code nobody trusts. */
import { importModule } from "./runner.mjs";

await importModule("/src/cli/sandbox-thread.ts");
