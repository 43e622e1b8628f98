import { TaskError } from "#core/errors.ts";
import { quoted, readUntrustedJson } from "#core/untrusted-json.ts";
import { MAX_TABLE_LENGTH, readOrders, readProducts, readUsers, type RetailDatabase } from "./database.ts";
import { isList, isRecord } from "./python.ts";
import { parseTasks, type RetailTask } from "./tasks.ts";

/** A file that someone hands over, told by what it holds and not by its name. */
export type CaseFile =
  | { readonly kind: "users"; readonly rows: RetailDatabase["users"] }
  | { readonly kind: "orders"; readonly rows: RetailDatabase["orders"] }
  | { readonly kind: "products"; readonly rows: RetailDatabase["products"] }
  | { readonly kind: "tasks"; readonly rows: readonly RetailTask[] };

/** @throws TaskError naming the file: not JSON, none of the four, or the record and field that is wrong. */
export function readCaseFile(text: string, fileName: string): CaseFile {
  const name = quoted(fileName).slice(1, -1);
  const value = readUntrustedJson(text, { name, maxLength: MAX_TABLE_LENGTH });
  if (isList(value)) return { kind: "tasks", rows: parseTasks(value, name) };
  const [record] = isRecord(value) ? Object.values(value) : [];
  const has = (field: string): boolean => isRecord(record) && Object.hasOwn(record, field);
  if (has("payment_methods")) return { kind: "users", rows: readUsers(value, name) };
  if (has("payment_history")) return { kind: "orders", rows: readOrders(value, name) };
  if (has("variants")) return { kind: "products", rows: readProducts(value, name) };
  throw new TaskError(`${name} is neither a table of users, orders or products nor a list of tasks`);
}
