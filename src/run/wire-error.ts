import { BoundaryError } from "#core/errors.ts";

/** Errors cross threads as data: `instanceof`, `code` and `cause` do not survive structured cloning. */
export interface WireError {
  readonly code: string;
  readonly message: string;
  readonly detail: Readonly<Record<string, string | number | boolean>>;
}

export function toWire(error: unknown): WireError {
  if (error instanceof BoundaryError) return { code: error.code, message: error.message, detail: error.detail };
  if (error instanceof Error) return { code: "internal", message: error.message, detail: { name: error.name } };
  return { code: "internal", message: String(error), detail: {} };
}
