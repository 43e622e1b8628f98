import type { Json } from "#core/trajectory.ts";
import { Draft, type RetailDatabase } from "./database.ts";
import { Refusal } from "./lookups.ts";
import { PythonError } from "./python.ts";
import { retailTool } from "./tools/registry.ts";

export interface ToolCall {
  readonly name: string;
  readonly kwargs: Readonly<Record<string, Json>>;
}

export interface CallResult {
  /** The same object where nothing was written. */
  readonly database: RetailDatabase;
  /** What the agent sees, as the original prints it; whole numbers print without a point. */
  readonly observation: string;
  /** Refused, raised, or no such tool. */
  readonly failed: boolean;
  /** The tool hands the customer over: the episode is over. */
  readonly ended: boolean;
}

/** One tool call on a database that stays as it is. Whatever the call holds comes back as an observation, never as an exception. */
export function callTool(database: RetailDatabase, { name, kwargs }: ToolCall): CallResult {
  const tool = retailTool(name);
  if (tool === undefined) return { database, observation: `Unknown action ${name}`, failed: true, ended: false };
  const draft = new Draft(database);
  const invoke = (): { readonly observation: string; readonly failed: boolean } => {
    try {
      return { observation: tool.invoke(draft, kwargs), failed: false };
    } catch (error) {
      if (error instanceof Refusal) return { observation: error.message, failed: true };
      if (error instanceof PythonError) return { observation: `Error: ${error.message}`, failed: true };
      throw error;
    }
  };
  const result = invoke();
  return { ...result, database: draft.isUntouched ? database : draft.finish(), ended: tool.ends };
}
