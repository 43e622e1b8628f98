import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { runGolden } from "#algorithms/golden.ts";
import type { GoldenResult } from "#algorithms/golden.ts";
import type { Command } from "../command.ts";
import { UsageError } from "../usage-error.ts";

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function line({ id, status, got, expected, error }: GoldenResult): string {
  if (status !== "fail") return `${status.padEnd(11)} ${id}`;
  return `${status.padEnd(11)} ${id}  ${error ?? `got ${JSON.stringify(got)}`}, expected ${JSON.stringify(expected)}`;
}

export const golden: Command = {
  summary: "compare this build's formulas with a file of golden values",
  usage: [
    "usage: turnwise golden FILE [--json]", "",
    "One line a vector: pass, fail or unsupported (no such function here; not a failure).", "",
    "  --json  one JSON object a line: id, function, status, got, expected, error (default: off)", "",
    "Exit code 1 when a vector fails.", "",
  ].join("\n"),
  async run(argv) {
    const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options: { json: { type: "boolean", default: false } } });
    const [path, ...rest] = positionals;
    if (path === undefined || rest.length > 0) throw new UsageError(`golden takes one file, got ${positionals.length}`);
    const results = runGolden(await readJson(path));
    for (const result of results) process.stdout.write(`${values.json ? JSON.stringify(result) : line(result)}\n`);
    const of = (status: GoldenResult["status"]): number => results.filter((result) => result.status === status).length;
    process.stderr.write(`${of("pass")} passed, ${of("fail")} failed, ${of("unsupported")} unsupported\n`);
    return of("fail") > 0 ? 1 : 0;
  },
};
