import { BoundaryError, ConfigError } from "#core/errors.ts";
import { COMMAND_NAMES, COMMANDS, isCommandName } from "./commands/registry.ts";
import { UsageError } from "./usage-error.ts";

const HELP = new Set(["--help", "-h"]);

async function dispatch([first = "help", ...rest]: readonly string[]): Promise<number> {
  const name = HELP.has(first) ? "help" : first;
  if (!isCommandName(name)) throw new UsageError(`unknown command "${name}"; the commands are ${COMMAND_NAMES.join(", ")}`);
  const command = await COMMANDS[name]();
  if (name !== "help" && rest.some((word) => HELP.has(word))) {
    process.stdout.write(command.usage);
    return 0;
  }
  return command.run(rest);
}

/** `--seed -1` as `--seed=-1`: no option looks like a negative number, and the command then says itself what it allows. */
const withNegatives = (argv: readonly string[]): string[] =>
  argv.reduce<string[]>((words, word) => {
    const last = words.at(-1);
    return /^-\.?\d/.test(word) && last !== undefined && /^--[^=]+$/.test(last) ? [...words.slice(0, -1), `${last}=${word}`] : [...words, word];
  }, []);

/** `parseArgs` of node:util throws a TypeError with one of these codes for what was typed. */
const isParseError = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS_");

/**
 * Runs one command. A mistake in what was typed (a wrong option, a wrong setting) is one line on stderr and exit code 2; a failure
 * that the code names (any other boundary error) is one line and exit code 1; anything else is a fault of ours and keeps its stack.
 */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    return await dispatch(withNegatives(argv));
  } catch (error) {
    const wrongInput = error instanceof UsageError || error instanceof ConfigError || isParseError(error);
    if (wrongInput || error instanceof BoundaryError) {
      process.stderr.write(`turnwise: ${error.message.replaceAll(/\s*\n\s*/g, " ")}\n`);
      return wrongInput ? 2 : 1;
    }
    throw error;
  }
}
