import type { ToolSchema } from "#core/environment.ts";
import type { RunConfig } from "#run/run-config.ts";

/** The tools an environment offers, loaded when a file needs them: the page knows only what registries say. */
export const TOOLS_OF = {
  "refund-desk": async () => (await import("#environments/refund-desk/tools.ts")).TOOLS,
  sokoban: async () => (await import("#environments/sokoban/tools.ts")).TOOLS,
  "js-sandbox": async () => (await import("#environments/js-sandbox/tools.ts")).TOOLS,
} as const satisfies Record<RunConfig["environment"]["id"], () => Promise<readonly ToolSchema[]>>;

/** A tool as chat templates and ATIF name it: a function with a JSON schema. */
export interface FunctionTool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: ToolSchema["parameters"] };
}

export const functionTool = ({ name, description, parameters }: ToolSchema): FunctionTool => ({ type: "function", function: { name, description, parameters } });
