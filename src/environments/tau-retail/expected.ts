import { TaskError } from "#core/errors.ts";
import type { Json } from "#core/trajectory.ts";
import { quoted, readUntrustedJson } from "#core/untrusted-json.ts";
import { changedRecords, MAX_TABLE_LENGTH, TABLES, type RetailDatabase, type Table } from "./database.ts";
import { difference } from "./difference.ts";
import { endOf, type ReplayStep } from "./replay.ts";
import type { ExpectedReplay, RetailTask } from "./tasks.ts";

/** Where a replay parts from what is expected, one sentence each; empty when nowhere. */
export function replayFaults(start: RetailDatabase, steps: readonly ReplayStep[], expected: ExpectedReplay): readonly string[] {
  if (expected.observations.length !== steps.length) {
    return [`${steps.length} actions, but ${expected.observations.length} observations are expected`];
  }
  const observations = steps.flatMap((step, index) => {
    const fault = observationFault(step, expected.observations[index] ?? null);
    return fault === null ? [] : [`action ${index + 1} (${quoted(step.call.name).slice(1, -1)}): ${fault}`];
  });
  const changed = changedRecords(start, endOf(start, steps));
  const records = TABLES.flatMap((table) => recordFaults(table, changed[table], expected.changed[table], endOf(start, steps)[table]));
  return [...observations, ...records];
}

function observationFault({ observation }: ReplayStep, expected: string | null): string | null {
  // A file may also hold what the skipped hand-over would have returned.
  if (observation === null) return expected === null || expected === "Transfer successful" ? null : `a hand-over has no observation, expected ${quoted(expected)}`;
  if (observation === expected) return null;
  const [got, wanted] = [asJson(observation), asJson(expected)];
  if (got === undefined || wanted === undefined) {
    return `got ${quoted(observation)}, expected ${expected === null ? "none" : quoted(expected)}`;
  }
  return difference(got, wanted);
}

/** Records and numbers are compared as such; any other text must be equal. */
function asJson(text: string | null): Json | undefined {
  if (text === null || !/^[[{\d-]/.test(text)) return undefined;
  try {
    return readUntrustedJson(text, { name: "observation", maxLength: MAX_TABLE_LENGTH });
  } catch (error) {
    if (error instanceof TaskError) return undefined;
    throw error;
  }
}

function recordFaults(
  table: Table, changed: ReadonlyMap<string, Json>, expected: Readonly<Record<string, Json>>, final: ReadonlyMap<string, Json>,
): readonly string[] {
  const wanted = Object.entries(expected).flatMap(([id, record]) => {
    const fault = difference(final.get(id), record);
    return fault === null ? [] : [`${table} ${quoted(id)}: ${fault}`];
  });
  const surplus = [...changed.keys()].filter((id) => !Object.hasOwn(expected, id)).map((id) => `${table} ${quoted(id)}: changed, but should not`);
  return [...wanted, ...surplus];
}

/**
 * Finds each task's expected replay: by the task's own id where the file gives one, else by the task's place when every id is a place
 * in the file, else line by line when there are as many lines as tasks.
 * @throws TaskError when none of these fits, or an id comes twice.
 */
export function pairExpected(tasks: readonly RetailTask[], rows: readonly ExpectedReplay[]): readonly PairedTask[] {
  const ids = new Set(rows.map(({ task_id }) => task_id));
  const isUnique = ids.size === rows.length;
  const ownIds = tasks.map((task) => task.task_id);
  if (tasks.length > 0 && ownIds.every((id) => id !== undefined) && isUnique) {
    if (new Set(ownIds).size !== tasks.length) throw new TaskError("two tasks have the same task_id");
    return byId(tasks, rows, ownIds);
  }
  if (isUnique && rows.every(({ task_id }) => typeof task_id === "number" && task_id >= 0 && task_id < tasks.length)) {
    return byId(tasks, rows, tasks.map((_, place) => place));
  }
  if (rows.length !== tasks.length) {
    throw new TaskError(
      isUnique
        ? `the expected replays name tasks that the task file does not hold: it has ${tasks.length}, numbered from 0`
        : `a task_id comes twice among the expected replays, and there are ${rows.length} of them for ${tasks.length} tasks`,
    );
  }
  return tasks.map((task, place) => ({ id: rows[place]?.task_id ?? place, task, expected: rows[place] ?? null }));
}

export interface PairedTask {
  readonly id: number | string;
  /** null where the task file does not hold it. */
  readonly task: RetailTask | null;
  /** null where nothing is expected of the task. */
  readonly expected: ExpectedReplay | null;
}

function byId(tasks: readonly RetailTask[], rows: readonly ExpectedReplay[], ids: readonly (number | string | undefined)[]): readonly PairedTask[] {
  const wanted = new Map(rows.map((row) => [row.task_id, row]));
  const known = new Set(ids);
  const paired = tasks.map((task, place) => ({ id: ids[place] ?? place, task, expected: wanted.get(ids[place] ?? place) ?? null }));
  return [...paired, ...rows.filter(({ task_id }) => !known.has(task_id)).map((row) => ({ id: row.task_id, task: null, expected: row }))];
}
