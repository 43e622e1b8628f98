import * as v from "valibot";
import { TaskError } from "#core/errors.ts";
import { readUntrustedJson } from "#core/untrusted-json.ts";
import { issueText } from "./database.ts";
import { byKey, jsonSchema, objectSchema } from "./records.ts";

const MAX_TASKS = 10_000;
const MAX_ACTIONS = 1000;
/** In characters; the published 500 training tasks have less than a million. */
export const MAX_TASKS_LENGTH = 16 * 1024 * 1024;

const actionSchema = v.object({ name: v.string(), kwargs: byKey(jsonSchema) });

const idSchema = v.union([v.pipe(v.number(), v.integer()), v.pipe(v.string(), v.maxLength(100))]);

/** A task of τ-bench's first version; fields that are not named (an annotator, for one) are left out. */
const taskSchema = v.object({
  /** Only where a file numbers its tasks itself. */
  task_id: v.exactOptional(idSchema),
  user_id: v.string(),
  /** What the simulated customer is told. */
  instruction: v.string(),
  /** What a perfect agent does; reads need not be among them. */
  actions: v.pipe(v.array(actionSchema), v.maxLength(MAX_ACTIONS)),
  /** What the agent must have said. */
  outputs: v.optional(v.pipe(v.array(v.string()), v.maxLength(MAX_ACTIONS)), []),
});

const tasksSchema = v.pipe(v.array(taskSchema), v.maxLength(MAX_TASKS));

/** Tasks of a value that is already JSON. @throws TaskError */
export function parseTasks(value: unknown, name: string): readonly RetailTask[] {
  const result = v.safeParse(tasksSchema, value);
  if (!result.success) throw new TaskError(`${name}: ${issueText(result.issues[0])}`);
  return result.output;
}

/** A JSON list of tasks. @throws TaskError naming the file and the place. */
export const readTasks = (text: string, name: string): readonly RetailTask[] =>
  parseTasks(readUntrustedJson(text, { name, maxLength: MAX_TASKS_LENGTH }), name);

export type RetailTask = v.InferOutput<typeof taskSchema>;

/** In characters. */
export const MAX_EXPECTED_LENGTH = 64 * 1024 * 1024;
const tableSchema = v.optional(byKey(byKey(jsonSchema)), {});

/** What the published tools returned for a task's actions, and the records that differ afterwards. */
const expectedSchema = v.object({
  task_id: idSchema,
  /** One for each action; null for the hand-over, which is not replayed. */
  observations: v.array(v.nullable(v.string())),
  changed: v.pipe(objectSchema, v.object({ users: tableSchema, orders: tableSchema, products: tableSchema })),
});

export type ExpectedReplay = v.InferOutput<typeof expectedSchema>;

/** JSON lines. @throws TaskError naming the file and the line. */
export function readExpected(text: string, name: string): readonly ExpectedReplay[] {
  if (text.length > MAX_EXPECTED_LENGTH) throw new TaskError(`${name} has ${text.length} characters; at most ${MAX_EXPECTED_LENGTH} are read`);
  const rows = text.split("\n").flatMap((line, index): ExpectedReplay[] => {
    if (line.trim() === "") return [];
    const at = `${name}, line ${index + 1}`;
    const result = v.safeParse(expectedSchema, readUntrustedJson(line, { name: at, maxLength: MAX_TASKS_LENGTH }));
    if (!result.success) throw new TaskError(`${at}: ${issueText(result.issues[0])}`);
    return [result.output];
  });
  if (rows.length > MAX_TASKS) throw new TaskError(`${name} has ${rows.length} lines; at most ${MAX_TASKS} are read`);
  return rows;
}
