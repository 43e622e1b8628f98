import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readDatabase } from "#environments/tau-retail/database.ts";
import { replay } from "#environments/tau-retail/replay.ts";
import { readTasks } from "#environments/tau-retail/tasks.ts";
import { turnwise } from "../../fixtures/turnwise.ts";
import { SHOP_FILES, SHOP_TASKS } from "../../fixtures/tau-shop.ts";
import { publishedFile } from "../environments/tau-data.ts";

async function verify(...argv: string[]) {
  const said = await turnwise("verify", "tau", ...argv);
  return { ...said, lines: said.stdout.trimEnd().split("\n") };
}

let folder: string;
const at = (name: string): string => join(folder, name);
const run = (...more: string[]) => verify("--db", folder, "--tasks", at("tasks.json"), "--expected", at("expected.jsonl"), ...more);

/** What the tools return now: this file is about the command, the tools have tests of their own. */
const database = readDatabase(SHOP_FILES);
const rows = readTasks(JSON.stringify(SHOP_TASKS), "tasks").map((task, task_id) => {
  const steps = replay(database, task.actions);
  const final = steps.at(-1)?.after;
  const changed = final === undefined ? {} : { users: { ann_lee_1: final.users.get("ann_lee_1") }, orders: { "#W1": final.orders.get("#W1") } };
  return { task_id, split: "ours", observations: steps.map(({ observation }) => observation), changed };
});
const write = (name: string, text: string): void => writeFileSync(at(name), text);
const asLines = (values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "turnwise-tau-"));
  for (const [table, text] of Object.entries(SHOP_FILES)) write(`${table}.json`, text);
  write("tasks.json", JSON.stringify(SHOP_TASKS));
  write("expected.jsonl", asLines(rows));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("verify tau", () => {
  test("one JSON line a case, the last a summary; exit code 0 when all pass", async () => {
    const { status, stderr, lines } = await run("--json");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { id: 0, passed: true, actions: 2, refused: 0, changed: 2, doingNothingPasses: false, monitors: [], faults: [] },
      { id: 1, passed: true, actions: 0, refused: 0, changed: 0, doingNothingPasses: true, monitors: [], faults: [] },
      { checked: 2, passed: 2, failed: 0 },
    ]);
    expect((await run()).lines.at(-1)).toBe("2 checked, 2 passed, 0 failed");
  });

  test("exit code 1 and the fault when one falls short", async () => {
    write("expected-wrong.jsonl", asLines(rows).replace("34.7", "34.8"));
    const { status, lines } = await verify("--db", folder, "--tasks", at("tasks.json"), "--expected", at("expected-wrong.jsonl"), "--json");
    expect(status).toBe(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ passed: false, faults: ['users "ann_lee_1": payment_methods.gift_card_1.balance: got 34.7, expected 34.8'] });
    expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ checked: 2, passed: 1, failed: 1 });
  });

  test("a task of which nothing is expected falls short", async () => {
    write("expected-half.jsonl", asLines(rows.slice(0, 1)));
    const { status, lines } = await verify("--db", folder, "--tasks", at("tasks.json"), "--expected", at("expected-half.jsonl"));
    expect({ status, line: lines[1] }).toEqual({ status: 1, line: "FAIL 1  no expected replay" });
  });

  test("what cannot be read is one line on stderr and exit code 2", async () => {
    write("bad.json", '{"__proto__": {}}');
    writeFileSync(at("latin.json"), Buffer.from([0x5b, 0xe9, 0x5d]));
    const wrong = async (argv: readonly string[], message: RegExp): Promise<void> => {
      const { status, stderr, lines } = await verify(...argv);
      expect({ status, lines }).toEqual({ status: 2, lines: [""] });
      expect(stderr).toMatch(message);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    };
    await wrong(["--db", folder], /verify tau needs --db DIR, --tasks FILE and --expected FILE/);
    await wrong(["--db", folder, "--tasks", at("none"), "--expected", at("expected.jsonl")], /cannot read .*none: ENOENT/);
    await wrong(["--db", folder, "--tasks", at("bad.json"), "--expected", at("expected.jsonl")], /bad\.json has the key "__proto__", which is not allowed/);
    await wrong(["--db", folder, "--tasks", at("latin.json"), "--expected", at("expected.jsonl")], /latin\.json is not UTF-8 text/);
    await wrong(["--db", folder, "--tasks", folder, "--expected", at("expected.jsonl")], /is not a file/);
  });

  test("verify --help lists both kinds", async () => {
    const { stdout } = await turnwise("verify", "--help");
    expect(stdout).toContain("tau --db DIR --tasks FILE --expected FILE [--json]");
    expect(stdout).toContain("refund-desk-learns");
  });

  test("the published development tasks, as the command reads them", async (context) => {
    const [tasks, expected, users] = ["retail_tasks_dev.json", "retail_replay_expected_dev.jsonl", "users.json"].map(publishedFile);
    if (tasks == null || expected == null || users == null) return context.skip();
    const published = resolve(users, "..");
    const { status, lines } = await verify("--db", published, "--tasks", tasks, "--expected", expected, "--json");
    expect({ status, last: JSON.parse(lines.at(-1) ?? "") }).toEqual({ status: 0, last: { checked: 20, passed: 20, failed: 0 } });
    // Another database must be seen: one price changed makes the exchanges that touch it fail.
    for (const table of ["users", "products"]) copyFileSync(join(published, `${table}.json`), at(`${table}.json`));
    write("orders.json", readFileSync(join(published, "orders.json"), "utf8").replaceAll('"price": 150.58', '"price": 150.59'));
    expect((await verify("--db", folder, "--tasks", tasks, "--expected", expected, "--json")).status).toBe(1);
  });
});
