import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { COMMAND_NAMES } from "../../../src/cli/commands/registry.ts";

/** The real process: exit codes and which stream a line goes to are what this is about. */
function turnwise(...argv: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [resolve("src/cli/run.mjs"), ...argv], { encoding: "utf8" });
  return { status, stdout, stderr };
}

describe("the command line", () => {
  test.each([
    ["an unknown command", ["trian"], /^turnwise: unknown command "trian"; the commands are .*help.*\n$/],
    ["an unknown option", ["verify", "--fast"], /^turnwise: Unknown option '--fast'.*\n$/],
    ["an unknown check", ["verify", "nothing-like-it"], /^turnwise: unknown check "nothing-like-it"; the checks are .*\n$/],
  ])("%s is one line on stderr and exit code 2", (_what, argv, line) => {
    const { status, stdout, stderr } = turnwise(...argv);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(line);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test.each([[[]], [["--help"]], [["help"]]])("%j lists every command", (argv) => {
    const { status, stdout, stderr } = turnwise(...argv);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const name of COMMAND_NAMES) expect(stdout).toMatch(new RegExp(`^ +${name} +\\S`, "m"));
  });

  test("COMMAND --help and help COMMAND say the same", () => {
    const { status, stdout } = turnwise("verify", "--help");
    expect({ status, stdout }).toEqual({ status: 0, stdout: turnwise("help", "verify").stdout });
    expect(stdout).toContain("usage: turnwise verify");
  });
});
