// @ts-check
/** Starts the command line. */
import { importModule } from "./runner.mjs";

// A reader that closes early (`| head`) ends the command quietly.
process.stdout.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

/** @type {{ main(argv: string[]): Promise<number> }} */
const { main } = await importModule("/src/cli/main.ts");
const code = await main(process.argv.slice(2));

// Exit by hand, so that a forgotten worker or timer cannot hold the process, but only after what was written has left.
for (const stream of [process.stdout, process.stderr]) await new Promise((done) => stream.write("", done));
process.exit(code);
