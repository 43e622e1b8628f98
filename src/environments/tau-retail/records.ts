import * as v from "valibot";
import type { Json } from "#core/trajectory.ts";

/**
 * The records of τ-bench's shop (sierra-research/tau-bench, retail). Only what a tool reads is asked for; further fields are kept, so
 * that a record comes out as it went in.
 */

/** Whatever stands in a field that no tool reads; these schemas only see what was parsed from JSON. */
export const jsonSchema = v.custom<Json>((value) => value !== undefined);

/** A record's fields that are read, and the others as they are. */
const record = <const E extends v.ObjectEntries>(entries: E) => v.objectWithRest(entries, jsonSchema);

/** A list is no object, though its places could pass for keys. */
export const objectSchema = v.custom<object>((value) => typeof value === "object" && value !== null && !Array.isArray(value), "Object");

/** Things by id. */
export const byKey = <const S extends v.GenericSchema>(schema: S) => v.pipe(objectSchema, v.record(v.string(), schema));

const price = v.pipe(v.number(), v.finite());
/** A tool writes what it is given, of any type, as the original does. */
const addressSchema = byKey(jsonSchema);

const paymentMethodSchema = record({ source: v.string(), id: v.string(), balance: v.exactOptional(price) });

export const userSchema = record({
  name: record({ first_name: v.string(), last_name: v.string() }),
  address: addressSchema,
  email: v.string(),
  payment_methods: byKey(paymentMethodSchema),
  orders: v.array(v.string()),
});

const itemSchema = record({
  name: v.string(), product_id: v.string(), item_id: v.string(), price, options: byKey(jsonSchema),
});

const paymentSchema = record({ transaction_type: v.string(), amount: price, payment_method_id: v.string() });

export const orderSchema = record({
  order_id: v.string(),
  user_id: v.string(),
  address: addressSchema,
  items: v.array(itemSchema),
  fulfillments: v.array(jsonSchema),
  status: v.string(),
  payment_history: v.array(paymentSchema),
});

const variantSchema = record({ item_id: v.string(), options: byKey(jsonSchema), available: v.boolean(), price });

export const productSchema = record({ name: v.string(), product_id: v.string(), variants: byKey(variantSchema) });

export type User = v.InferOutput<typeof userSchema>;
export type Order = v.InferOutput<typeof orderSchema>;
export type OrderItem = v.InferOutput<typeof itemSchema>;
export type Product = v.InferOutput<typeof productSchema>;
export type PaymentMethod = v.InferOutput<typeof paymentMethodSchema>;
