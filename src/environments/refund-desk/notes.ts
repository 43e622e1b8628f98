import type { Action, Json, Observation, SeenStep } from "#core/trajectory.ts";
import type { Age } from "./prior.ts";
import { BUSY, NOT_FOUND, PENDING } from "./words.ts";

/** What a reader of a transcript knows: the scripted agents act on it, `worlds` conditions on it. */
export interface Notes {
  readonly window: number;
  readonly wanted: string;
  /** In listing order; null until listed. */
  readonly listing: readonly { readonly item: string; readonly id: string }[] | null;
  /** Dates seen, in that order. */
  readonly dates: ReadonlyMap<string, Age>;
  readonly asked: boolean;
  /** The order the customer named. */
  readonly named: string | null;
  readonly refunded: readonly string[];
  readonly denied: boolean;
  readonly failed: boolean;
  /** Whether the request came with all of that. */
  readonly briefed: boolean;
  /** Ids that a check, or a refund, did not find. */
  readonly notOwn: readonly string[];
  readonly absent: readonly string[];
}

/** Empty text where there is no such word. */
const wordAt = (content: Json, key: string): string => {
  if (content === null || typeof content !== "object") return "";
  const value = (content as { readonly [key: string]: Json })[key];
  return typeof value === "string" ? value : "";
};

export const isBusy = ({ kind, content }: Observation): boolean => kind === "error" && wordAt(content, "reason") === BUSY;

const listingOf = (entries: readonly Json[]): NonNullable<Notes["listing"]> => entries.map((entry) => ({ item: wordAt(entry, "item"), id: wordAt(entry, "order") }));

export function beginNotes({ content }: Observation): Notes {
  const orders = content !== null && typeof content === "object" && "orders" in content && Array.isArray(content.orders) ? (content.orders as readonly Json[]) : null;
  const named = wordAt(content, "order");
  return {
    window: Number(wordAt(content, "window")), wanted: wordAt(content, "refund"), briefed: orders !== null,
    listing: orders && listingOf(orders),
    dates: new Map((orders ?? []).map((entry): [string, Age] => [wordAt(entry, "order"), wordAt(entry, "age") === PENDING ? null : Number(wordAt(entry, "age"))])),
    asked: named !== "", named: named === "" ? null : named, refunded: [], denied: false, failed: false, notOwn: [], absent: [],
  };
}

function afterError(notes: Notes, action: Action, observation: Observation): Notes {
  if (isBusy(observation)) return { ...notes, failed: true };
  const order = action.kind === "tool" ? wordAt(action.args, "order") : "";
  if (action.kind !== "tool" || order === "" || wordAt(observation.content, "reason") !== NOT_FOUND) return notes;
  if (action.name === "check_ship_date") return { ...notes, notOwn: [...notes.notOwn, order] };
  return action.name === "refund" ? { ...notes, absent: [...notes.absent, order] } : notes;
}

export function addNote(notes: Notes, { action, observation }: SeenStep): Notes {
  const { kind, content } = observation;
  const order = wordAt(content, "order");
  switch (kind) {
    case "orders":
      return Array.isArray(content)
        ? { ...notes, listing: listingOf(content) }
        : notes;
    case "shipped": return { ...notes, dates: new Map(notes.dates).set(order, Number(wordAt(content, "age"))) };
    case "pending": return { ...notes, dates: new Map(notes.dates).set(order, null) };
    case "user": return { ...notes, asked: true, named: order === "" ? notes.named : order };
    case "refunded": return action.kind === "tool" ? { ...notes, refunded: [...notes.refunded, wordAt(action.args, "order")] } : notes;
    case "denied": return { ...notes, denied: true };
    case "error": return afterError(notes, action, observation);
    default: return notes;
  }
}
