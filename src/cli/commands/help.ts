import type { Command } from "../command.ts";
import { UsageError } from "../usage-error.ts";
import { COMMAND_NAMES, COMMANDS, isCommandName } from "./registry.ts";

async function overview(): Promise<string> {
  const commands = await Promise.all(COMMAND_NAMES.map(async (name) => ({ name, summary: (await COMMANDS[name]()).summary })));
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "usage: npm run -s turnwise -- COMMAND [OPTIONS]",
    "",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    "COMMAND --help lists a command's options.",
    "",
  ].join("\n");
}

export const help: Command = {
  summary: "list the commands, or the options of one",
  usage: "usage: turnwise help [COMMAND]\n",
  async run([name, ...rest]) {
    if (rest.length > 0) throw new UsageError(`help takes one command, got ${rest.length + 1}`);
    if (name === undefined) {
      process.stdout.write(await overview());
      return 0;
    }
    if (!isCommandName(name)) throw new UsageError(`unknown command "${name}"; the commands are ${COMMAND_NAMES.join(", ")}`);
    process.stdout.write((await COMMANDS[name]()).usage);
    return 0;
  },
};
