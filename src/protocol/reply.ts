import { toWire } from "#run/wire-error.ts";
import type { Reply } from "./trainer.api.ts";

/** What work gave, or why it gave nothing. */
export async function reply<T>(work: () => T | Promise<T>): Promise<Reply<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, error: toWire(error) };
  }
}
