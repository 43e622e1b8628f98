// @ts-check
/** Entry of a compute thread: its messages wait until the module below listens. */
import { importModule } from "./runner.mjs";

await importModule("/src/cli/compute-thread.ts");
