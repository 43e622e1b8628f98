import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { TaskError } from "#core/errors.ts";
import { changedRecords, MAX_TABLE_LENGTH, readDatabase, TABLES, type RetailDatabase } from "#environments/tau-retail/database.ts";
import { pairExpected, replayFaults, type PairedTask } from "#environments/tau-retail/expected.ts";
import { readMonitors } from "#environments/tau-retail/monitors.ts";
import { endOf, replay, type ReplayStep } from "#environments/tau-retail/replay.ts";
import { MAX_EXPECTED_LENGTH, MAX_TASKS_LENGTH, readExpected, readTasks } from "#environments/tau-retail/tasks.ts";
import { passesByDoingNothing } from "#environments/tau-retail/verdict.ts";
import { UsageError } from "../usage-error.ts";
import type { Verifier } from "./registry.ts";
import { report, type CaseResult } from "./report.ts";

/** @throws UsageError when there is no such file, it is too long, or it is not UTF-8. */
async function readText(path: string, maxBytes: number): Promise<string> {
  const cannot = (error: unknown): never => {
    throw new UsageError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  };
  const entry = await stat(path).catch(cannot);
  if (!entry.isFile()) throw new UsageError(`${path} is not a file`);
  if (entry.size > maxBytes) throw new UsageError(`${path} has ${entry.size} bytes; at most ${maxBytes} are read`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path).catch(cannot));
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`${path} is not UTF-8 text`);
    throw error;
  }
}

interface Files {
  readonly database: RetailDatabase;
  readonly cases: readonly PairedTask[];
}

async function readFiles(db: string, tasks: string, expected: string): Promise<Files> {
  const [users, orders, products] = await Promise.all(TABLES.map((table) => readText(join(db, `${table}.json`), MAX_TABLE_LENGTH)));
  const [tasksText, expectedText] = await Promise.all([readText(tasks, MAX_TASKS_LENGTH), readText(expected, MAX_EXPECTED_LENGTH)]);
  try {
    const database = readDatabase({ users: users ?? "", orders: orders ?? "", products: products ?? "" });
    return { database, cases: pairExpected(readTasks(tasksText, tasks), readExpected(expectedText, expected)) };
  } catch (error) {
    if (error instanceof TaskError) throw new UsageError(error.message);
    throw error;
  }
}

const monitorsOf = (database: RetailDatabase, steps: readonly ReplayStep[]): readonly string[] =>
  readMonitors(
    database,
    steps.map(({ call, observation, failed }) => ({ kind: "call", call, observation: observation ?? "", failed })),
    false,
  ).flatMap(({ id, broken }) => (broken.length > 0 ? [id] : []));

function check(database: RetailDatabase, { id, task, expected }: PairedTask): CaseResult {
  if (task === null || expected === null) {
    const fault = task === null ? "the task file does not hold this task" : "no expected replay";
    return { id, passed: false, fields: { faults: [fault] }, text: fault };
  }
  const steps = replay(database, task.actions);
  const faults = replayFaults(database, steps, expected);
  const changed = changedRecords(database, endOf(database, steps));
  const counts = {
    actions: steps.length,
    refused: steps.filter(({ failed }) => failed).length,
    changed: TABLES.reduce((sum, table) => sum + changed[table].size, 0),
  };
  const monitors = monitorsOf(database, steps);
  const doingNothingPasses = passesByDoingNothing(database, task);
  return {
    id,
    passed: faults.length === 0,
    fields: { ...counts, doingNothingPasses, monitors, faults },
    text: [
      `${counts.actions} actions, ${counts.refused} refused, ${counts.changed} records changed`,
      ...(doingNothingPasses ? ["doing nothing passes"] : []),
      ...(monitors.length > 0 ? [`policy broken: ${monitors.join(", ")}`] : []),
      ...faults,
    ].join("; "),
  };
}

/** Replays τ-bench's retail tasks and compares every observation and every changed record with what the published tools gave. */
export const tau: Verifier = {
  async run(argv) {
    const { values } = parseArgs({
      args: [...argv],
      options: { db: { type: "string" }, tasks: { type: "string" }, expected: { type: "string" }, json: { type: "boolean", default: false } },
    });
    const { db, tasks, expected } = values;
    if (db === undefined || tasks === undefined || expected === undefined) {
      throw new UsageError("verify tau needs --db DIR, --tasks FILE and --expected FILE");
    }
    const { database, cases } = await readFiles(db, tasks, expected);
    return report(cases.map((pair) => check(database, pair)), values.json);
  },
};
