import { parseArgs } from "node:util";
import { CHECK_NAMES, CHECKS, isCheckName } from "../checks/registry.ts";
import type { Command } from "../command.ts";
import { UsageError } from "../usage-error.ts";
import { verifierOf, VERIFIERS } from "../verifiers/registry.ts";

const usage = [
  "usage: turnwise verify [NAME] | turnwise verify KIND FILES [--json]",
  "",
  "Real cases, read from files. Exit code 1 when a case falls short, 2 when a file cannot be read.",
  "",
  ...Object.values(VERIFIERS).flatMap((entry) => [`  ${entry.usage}`, `      ${entry.summary}`]),
  "",
  '  --json  one JSON object a case, the last a summary {"checked", "passed", "failed"} (default: off)',
  "",
  "Long checks, whose figures stand in docs/method.md:",
  "",
  ...CHECK_NAMES.map((name) => `  ${name}`),
  "",
  "Without a name: lists the long checks.",
  "",
].join("\n");

export const verify: Command = {
  summary: "check files of real cases, or run a long check",
  usage,
  async run(argv) {
    const [kind, ...options] = argv;
    const verifier = kind === undefined ? undefined : verifierOf(kind);
    if (verifier !== undefined) return (await verifier.load()).run(options);

    const { positionals } = parseArgs({ args: [...argv], allowPositionals: true, options: {} });
    const [name, ...rest] = positionals;
    if (rest.length > 0) throw new UsageError(`verify takes one check, got ${positionals.length}`);
    if (name === undefined) {
      const list = CHECK_NAMES.map((known) => `${known}\n`).join("");
      process.stdout.write(list === "" ? "no checks yet\n" : list);
      return 0;
    }
    if (!isCheckName(name)) {
      throw new UsageError(
        `unknown check "${name}"; the checks are ${[...CHECK_NAMES].join(", ")}; files of real cases: ${Object.keys(VERIFIERS).join(", ")}`,
      );
    }
    const check = await CHECKS[name]!();
    const { passed, figures } = await check.run((line) => process.stderr.write(`${line}\n`));
    for (const [figure, value] of Object.entries(figures)) process.stdout.write(`${figure}: ${value}\n`);
    process.stdout.write(passed ? "passed\n" : "FAILED\n");
    return passed ? 0 : 1;
  },
};
