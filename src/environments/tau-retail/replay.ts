import { callTool, type ToolCall } from "./call.ts";
import type { RetailDatabase } from "./database.ts";
import { retailTool } from "./tools/registry.ts";

export interface ReplayStep {
  readonly call: ToolCall;
  /** null for the hand-over: it is the agent's move, and ends an episode that is replayed to its last action. */
  readonly observation: string | null;
  readonly failed: boolean;
  readonly before: RetailDatabase;
  readonly after: RetailDatabase;
}

/** Runs a task's reference actions one after the other; tools that end an episode are passed over, as in the original. */
export function replay(start: RetailDatabase, actions: readonly ToolCall[]): readonly ReplayStep[] {
  let before = start;
  return actions.map((call) => {
    const skipped = retailTool(call.name)?.ends === true;
    const { observation, failed, database: after } = skipped ? { observation: null, failed: false, database: before } : callTool(before, call);
    const step = { call, observation, failed, before, after };
    before = after;
    return step;
  });
}

export const endOf = (start: RetailDatabase, steps: readonly ReplayStep[]): RetailDatabase => steps.at(-1)?.after ?? start;
