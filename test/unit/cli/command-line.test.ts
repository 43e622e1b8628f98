import { describe, expect, test } from "vitest";
import { COMMAND_NAMES } from "../../../src/cli/commands/registry.ts";
import { turnwise, turnwiseProcess } from "../../fixtures/turnwise.ts";

/** The real process where exit codes, and which stream a line goes to, are what it is about. */

describe("the command line", () => {
  test.each([
    ["an unknown command", ["trian"], /^turnwise: unknown command "trian"; the commands are .*help.*\n$/],
    ["an unknown option", ["verify", "--fast"], /^turnwise: Unknown option '--fast'.*\n$/],
    ["an unknown check", ["verify", "nothing-like-it"], /^turnwise: unknown check "nothing-like-it"; the checks are .*\n$/],
  ])("%s is one line on stderr and exit code 2", (_what, argv, line) => {
    const { status, stdout, stderr } = turnwiseProcess(...argv);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(line);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test.each([[[]], [["--help"]], [["help"]]])("%j lists every command", (argv) => {
    const { status, stdout, stderr } = turnwiseProcess(...argv);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const name of COMMAND_NAMES) expect(stdout).toMatch(new RegExp(`^ +${name} +\\S`, "m"));
  });

  test("COMMAND --help and help COMMAND say the same", async () => {
    const { status, stdout } = await turnwise("verify", "--help");
    expect({ status, stdout }).toEqual({ status: 0, stdout: (await turnwise("help", "verify")).stdout });
    expect(stdout).toContain("usage: turnwise verify");
  });
});
