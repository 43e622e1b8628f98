import * as v from "valibot";
import { TaskError } from "#core/errors.ts";
import type { Json } from "#core/trajectory.ts";
import { quoted, readUntrustedJson } from "#core/untrusted-json.ts";
import { difference } from "./difference.ts";
import { orderSchema, productSchema, userSchema, type Order, type Product, type User } from "./records.ts";

/** Immutable; maps, so that no id of a file reaches a prototype. */
export interface RetailDatabase {
  readonly users: ReadonlyMap<string, User>;
  readonly orders: ReadonlyMap<string, Order>;
  readonly products: ReadonlyMap<string, Product>;
}

export const TABLES = ["users", "orders", "products"] as const;
export type Table = (typeof TABLES)[number];

/** In characters; the published files have 1.8 million at most. */
export const MAX_TABLE_LENGTH = 32 * 1024 * 1024;

/** @throws TaskError naming the record and the field when `value` is not the table. */
function readRows<S extends v.GenericSchema>(schema: S, value: Json, name: string): ReadonlyMap<string, v.InferOutput<S>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new TaskError(`${name} must be an object of records by id`);
  return new Map(
    Object.entries(value).map(([id, record]) => {
      const result = v.safeParse(schema, record);
      if (!result.success) throw new TaskError(`${name}, record ${quoted(id)}: ${issueText(result.issues[0])}`);
      return [id, result.output];
    }),
  );
}

/** Where a value has the wrong shape, what was expected there and what was got. */
export function issueText(issue: v.GenericIssue): string {
  const path = v.getDotPath(issue);
  return `${path === null ? "" : `${quoted(path).slice(1, -1)} `}should be ${issue.type === "custom" ? issue.message : (issue.expected ?? "valid")}, got ${quoted(issue.received).slice(1, -1)}`;
}

export const readUsers = (value: Json, name: string): RetailDatabase["users"] => readRows(userSchema, value, name);
export const readOrders = (value: Json, name: string): RetailDatabase["orders"] => readRows(orderSchema, value, name);
export const readProducts = (value: Json, name: string): RetailDatabase["products"] => readRows(productSchema, value, name);

/** The three files of a database. @throws TaskError naming the file at fault. */
export function readDatabase(files: Readonly<Record<Table, string>>): RetailDatabase {
  const json = (table: Table): Json => readUntrustedJson(files[table], { name: `${table}.json`, maxLength: MAX_TABLE_LENGTH });
  return {
    users: readUsers(json("users"), "users.json"),
    orders: readOrders(json("orders"), "orders.json"),
    products: readProducts(json("products"), "products.json"),
  };
}

/** A database being changed by one call. What was written before a tool failed stays written, as in the original. */
export class Draft {
  readonly products: ReadonlyMap<string, Product>;
  #users: Map<string, User> | undefined;
  #orders: Map<string, Order> | undefined;
  readonly #base: RetailDatabase;

  constructor(base: RetailDatabase) {
    this.#base = base;
    this.products = base.products;
  }

  get users(): ReadonlyMap<string, User> {
    return this.#users ?? this.#base.users;
  }

  get orders(): ReadonlyMap<string, Order> {
    return this.#orders ?? this.#base.orders;
  }

  putUser(id: string, user: User): void {
    this.#users ??= new Map(this.#base.users);
    this.#users.set(id, user);
  }

  putOrder(id: string, order: Order): void {
    this.#orders ??= new Map(this.#base.orders);
    this.#orders.set(id, order);
  }

  get isUntouched(): boolean {
    return this.#users === undefined && this.#orders === undefined;
  }

  finish(): RetailDatabase {
    return { users: this.users, orders: this.orders, products: this.products };
  }
}

/** Records of `after` that differ from `before`, by table and id. Tools neither add nor delete records. */
export type ChangedRecords = Readonly<Record<Table, ReadonlyMap<string, Json>>>;

export function changedRecords(before: RetailDatabase, after: RetailDatabase): ChangedRecords {
  const of = (old: ReadonlyMap<string, Json>, now: ReadonlyMap<string, Json>): ReadonlyMap<string, Json> =>
    new Map(old === now ? [] : [...now].filter(([id, record]) => isOther(old.get(id), record)));
  return { users: of(before.users, after.users), orders: of(before.orders, after.orders), products: of(before.products, after.products) };
}

const isOther = (old: Json | undefined, now: Json): boolean => old !== now && (old === undefined || difference(now, old) !== null);
