import { parseArgs } from "node:util";
import { CHECK_NAMES, CHECKS, isCheckName } from "../checks/registry.ts";
import type { Command } from "../command.ts";
import { UsageError } from "../usage-error.ts";

export const verify: Command = {
  summary: "run a long check whose figures stand in docs/method.md",
  usage: "usage: turnwise verify [NAME]\n\nWithout a name: lists the checks.\n",
  async run(argv) {
    const { positionals } = parseArgs({ args: [...argv], allowPositionals: true, options: {} });
    const [name, ...rest] = positionals;
    if (rest.length > 0) throw new UsageError(`verify takes one check, got ${positionals.length}`);
    if (name === undefined) {
      const list = CHECK_NAMES.map((known) => `${known}\n`).join("");
      process.stdout.write(list === "" ? "no checks yet\n" : list);
      return 0;
    }
    if (!isCheckName(name)) throw new UsageError(`unknown check "${name}"; the checks are ${CHECK_NAMES.join(", ") || "none yet"}`);
    const check = await CHECKS[name]!();
    const { passed, figures } = await check.run((line) => process.stderr.write(`${line}\n`));
    for (const [figure, value] of Object.entries(figures)) process.stdout.write(`${figure}: ${value}\n`);
    process.stdout.write(passed ? "passed\n" : "FAILED\n");
    return passed ? 0 : 1;
  },
};
