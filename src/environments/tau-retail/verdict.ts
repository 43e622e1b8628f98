import { changedRecords, TABLES, type RetailDatabase, type Table } from "./database.ts";
import { difference } from "./difference.ts";
import { says } from "./outputs.ts";
import { endOf, replay } from "./replay.ts";
import type { RetailTask } from "./tasks.ts";

/** A record that is not as the reference actions leave it. */
export interface RecordFault {
  readonly table: Table;
  readonly id: string;
  readonly fault: string;
}

export interface RetailVerdict {
  /** The end state and every output. */
  readonly success: boolean;
  readonly records: readonly RecordFault[];
  readonly outputs: readonly { readonly output: string; readonly said: boolean }[];
}

/**
 * Judges an episode: its final database must equal the one that the reference actions lead to from `start`, and the agent's messages
 * must say every output. How it got there does not count. Pure: nothing that it judges is changed.
 */
export function judge(start: RetailDatabase, task: RetailTask, final: RetailDatabase, messages: readonly string[]): RetailVerdict {
  const reference = endOf(start, replay(start, task.actions));
  const [done, wanted] = [changedRecords(start, final), changedRecords(start, reference)];
  const records = TABLES.flatMap((table) =>
    [...new Set([...wanted[table].keys(), ...done[table].keys()])].flatMap((id) => {
      const fault = difference(final[table].get(id), reference[table].get(id));
      return fault === null ? [] : [{ table, id, fault }];
    }),
  );
  const outputs = task.outputs.map((output) => ({ output, said: says(messages, output) }));
  return { success: records.length === 0 && outputs.every(({ said }) => said), records, outputs };
}

/** An agent that does and says nothing passes: a success at such a task shows little. */
export const passesByDoingNothing = (start: RetailDatabase, task: RetailTask): boolean => judge(start, task, start, []).success;
