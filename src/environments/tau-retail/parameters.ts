import type { ParameterSchema } from "./tool.ts";

/** Arguments that several tools share. */
export const ORDER_ID: ParameterSchema = { type: "string", description: "Order id, with its # (for example #W0000000)." };
export const USER_ID: ParameterSchema = { type: "string", description: "Customer id (for example sara_doe_496)." };
export const PAYMENT_METHOD_ID: ParameterSchema = {
  type: "string",
  description: "One of the customer's payment methods (for example gift_card_0000000).",
};
export const ZIP: ParameterSchema = { type: "string", description: "Zip code, as it is written." };

/** In the order of the original's signature. */
export const ADDRESS = {
  address1: { type: "string", description: "Street and number." },
  address2: { type: "string", description: "Suite or flat; may be empty." },
  city: { type: "string", description: "City." },
  state: { type: "string", description: "State, two letters." },
  country: { type: "string", description: "Country." },
  zip: ZIP,
} as const satisfies Readonly<Record<string, ParameterSchema>>;

export const itemIds = (description: string): ParameterSchema => ({ type: "array", items: { type: "string" }, description });
