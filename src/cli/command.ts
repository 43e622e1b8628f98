/** One entry of the command line; a command is one file in `commands/` and one line in `commands/registry.ts`. */
export interface Command {
  /** One line for the list of commands. */
  readonly summary: string;
  /** Every option with its default, for `turnwise NAME --help`. */
  readonly usage: string;
  /** @returns the exit code; @throws UsageError when `argv` (what follows the command's name) makes no sense. */
  run(argv: readonly string[]): Promise<number>;
}
