import { endOfUpdate, type RunEvent } from "#run/run-event.ts";
import { GROUP_LIMIT } from "./kept-groups.ts";
import type { GroupEntry } from "./run-state.ts";

/** A run's events as they came, for a file. Of a long run the groups go that the page does not keep either. */
export class RunLog {
  #events: RunEvent[] = [];
  #groups = 0;

  get events(): readonly RunEvent[] {
    return this.#events;
  }

  clear(): void {
    [this.#events, this.#groups] = [[], 0];
  }

  /** @param kept the groups that the page has after these events */
  add(events: readonly RunEvent[], kept: readonly GroupEntry[]): void {
    this.#events.push(...events);
    this.#groups += events.filter(({ type }) => type === "group").length;
    if (this.#groups <= 2 * GROUP_LIMIT) return;
    const groups = new Set(kept.map(({ group }) => group));
    this.#events = this.#events.filter((event) => event.type !== "group" || groups.has(event.group));
    this.#groups = this.#events.filter(({ type }) => type === "group").length;
  }

  /** Back to the end of an update; 0 is before everything. */
  rewind(update: number): void {
    this.#events = this.#events.slice(0, endOfUpdate(this.#events, update));
    this.#groups = this.#events.filter(({ type }) => type === "group").length;
  }
}
