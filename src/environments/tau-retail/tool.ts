import type { Json } from "#core/trajectory.ts";
import type { Draft } from "./database.ts";
import { PythonError } from "./python.ts";

/** The JSON schemas that the published tools use for an argument. */
export type ParameterSchema =
  | { readonly type: "string"; readonly description: string; readonly enum?: readonly string[] }
  | { readonly type: "array"; readonly items: { readonly type: "string" }; readonly description: string };

/** What a tool touches: monitors of the policy read this. */
export type Access =
  /** Finds out who the customer is. */
  | "identifies"
  /** Reads or changes the records of a customer. */
  | "customer"
  /** Reads what anyone may know, or nothing. */
  | "public";

export interface RetailTool {
  readonly name: string;
  readonly description: string;
  /** Every argument is required; the order is that of the original's signature. */
  readonly parameters: Readonly<Record<string, ParameterSchema>>;
  readonly mutates: boolean;
  readonly access: Access;
  /** Hands the customer over, which ends the episode. */
  readonly ends: boolean;
  /** What the agent sees. @throws PythonError where the original raises; what `draft` took before stays. */
  invoke(draft: Draft, kwargs: Readonly<Record<string, Json>>): string;
}

export interface ToolDefinition<P extends string> extends Omit<RetailTool, "ends" | "invoke" | "parameters"> {
  /** The original's class in its file of the tool's name: exceptions about arguments name both. */
  readonly className: string;
  readonly parameters: Readonly<Record<P, ParameterSchema>>;
  readonly ends?: boolean;
  /** @param argument gives the argument of that name, of whatever type it came. */
  run(draft: Draft, argument: (name: P) => Json): string;
}

export function defineTool<const P extends string>(definition: ToolDefinition<P>): RetailTool {
  const { name, className, description, parameters, mutates, access, ends = false, run } = definition;
  const required = Object.keys(parameters);
  return {
    name, description, parameters, mutates, access, ends,
    invoke(draft, kwargs) {
      checkArguments(`tau_bench.envs.retail.tools.${name}.`, `${className}.invoke()`, required, Object.keys(kwargs));
      return run(draft, (argument) => kwargs[argument] ?? null);
    },
  };
}

/** Python's complaints about a call with the wrong names, in the order in which it looks. */
function checkArguments(module: string, called: string, required: readonly string[], given: readonly string[]): void {
  if (given.includes("data")) throw new PythonError(`${module}${called} got multiple values for keyword argument 'data'`);
  const unknown = given.find((name) => !required.includes(name));
  if (unknown !== undefined) throw new PythonError(`${called} got an unexpected keyword argument '${unknown}'`);
  const missing = required.filter((name) => !given.includes(name)).map((name) => `'${name}'`);
  if (missing.length === 0) return;
  const listed =
    missing.length <= 2 ? missing.join(" and ") : `${missing.slice(0, -1).join(", ")}, and ${missing.at(-1) ?? ""}`;
  throw new PythonError(`${called} missing ${missing.length} required positional argument${missing.length === 1 ? "" : "s"}: ${listed}`);
}

/** The function as language models are told of it. */
export const openAiFunction = ({ name, description, parameters }: RetailTool) => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties: parameters, required: Object.keys(parameters) } },
});
