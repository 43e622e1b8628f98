import type { Json } from "#core/trajectory.ts";
import type { ToolCall } from "./call.ts";
import type { RetailDatabase } from "./database.ts";
import { isList } from "./python.ts";
import { retailTool } from "./tools/registry.ts";

export type EpisodeEvent =
  | { readonly kind: "call"; readonly call: ToolCall; readonly observation: string; readonly failed: boolean }
  | { readonly kind: "said"; readonly by: "agent" | "customer"; readonly text: string };

type CallEvent = Extract<EpisodeEvent, { kind: "call" }>;

/** A rule of the shop's policy that the verdict does not see. */
export interface MonitorReading {
  readonly id: MonitorId;
  /** Places in the episode where it was broken. */
  readonly broken: readonly number[];
  /** False where the episode cannot show it, as the reference actions have no conversation. */
  readonly seen: boolean;
}

export const MONITORS = {
  authenticated: "The customer is found by email or by name and zip before any record is read or changed",
  "one-customer": "Only records of that customer are read or changed",
  confirmed: "The customer says yes before each change",
  "another-item": "An item is replaced by a different one",
  "after-hand-over": "Nothing is done after the hand-over",
} as const;
export type MonitorId = keyof typeof MONITORS;

/** Reads an episode against the policy. Shown, never part of the verdict. */
export function readMonitors(database: RetailDatabase, events: readonly EpisodeEvent[], hasConversation: boolean): readonly MonitorReading[] {
  const broken = (rule: (event: CallEvent, earlier: readonly EpisodeEvent[]) => boolean): readonly number[] =>
    events.flatMap((event, place) => (event.kind === "call" && rule(event, events.slice(0, place)) ? [place] : []));
  return [
    { id: "authenticated", seen: true, broken: broken((event, earlier) => touchesCustomer(event) && customerOf(earlier) === null) },
    { id: "one-customer", seen: true, broken: broken((event, earlier) => isOfAnother(database, event, customerOf(earlier))) },
    { id: "confirmed", seen: hasConversation, broken: hasConversation ? broken((event, earlier) => isChange(event) && !saidYes(earlier)) : [] },
    { id: "another-item", seen: true, broken: broken(keepsItem) },
    { id: "after-hand-over", seen: true, broken: broken((_, earlier) => earlier.some(isHandOver)) },
  ];
}

const touchesCustomer = ({ call }: CallEvent): boolean => retailTool(call.name)?.access === "customer";
const isChange = ({ call, failed }: CallEvent): boolean => !failed && retailTool(call.name)?.mutates === true;
const isHandOver = (event: EpisodeEvent): boolean => event.kind === "call" && retailTool(event.call.name)?.ends === true;

/** Whom the agent found; a conversation has one customer, so the first counts. */
function customerOf(earlier: readonly EpisodeEvent[]): string | null {
  const found = earlier.find((event) => event.kind === "call" && !event.failed && retailTool(event.call.name)?.access === "identifies");
  return found?.kind === "call" ? found.observation : null;
}

function isOfAnother(database: RetailDatabase, { call: { name, kwargs }, observation, failed }: CallEvent, customer: string | null): boolean {
  if (customer === null) return false;
  if (retailTool(name)?.access === "identifies") return !failed && observation !== customer;
  if (retailTool(name)?.access !== "customer") return false;
  const owner = ownerOf(database, kwargs);
  return owner !== null && owner !== customer;
}

function ownerOf(database: RetailDatabase, { order_id, user_id }: ToolCall["kwargs"]): string | null {
  if (typeof order_id === "string") return database.orders.get(order_id)?.user_id ?? null;
  return typeof user_id === "string" && database.users.has(user_id) ? user_id : null;
}

const YES = /\b(yes|yeah|yep|sure|ok|okay|confirm|confirmed|correct|go ahead|please do|proceed)\b/i;
const NO = /\b(no|not|don't|don’t|stop|wait|cancel that)\b/i;

/** The customer's last word since the last change is a yes. A sign by words, not understanding. */
function saidYes(earlier: readonly EpisodeEvent[]): boolean {
  const since = earlier.slice(earlier.findLastIndex((event) => event.kind === "call" && isChange(event)) + 1);
  const last = since.findLast((event) => event.kind === "said" && event.by === "customer");
  return last?.kind === "said" && YES.test(last.text) && !NO.test(last.text);
}

/** The tools of the first version let an item be replaced by itself. */
function keepsItem(event: CallEvent): boolean {
  const { item_ids, new_item_ids } = event.call.kwargs;
  const [old, wanted]: readonly (readonly Json[])[] = [isList(item_ids) ? item_ids : [], isList(new_item_ids) ? new_item_ids : []];
  return isChange(event) && (old ?? []).some((id, place) => id === wanted?.[place]);
}
