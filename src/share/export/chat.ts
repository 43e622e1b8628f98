import type { ToolSchema } from "#core/environment.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { RunEvent, TurnRecord } from "#run/run-event.ts";
import { functionTool, type FunctionTool } from "./tool-schemas.ts";
import { briefing, callId, observationText, trajectoriesOf } from "./told-trajectories.ts";

interface ToolCall {
  readonly id: string;
  readonly type: "function";
  /** Arguments as JSON text. */
  readonly function: { readonly name: string; readonly arguments: string };
}

type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string }
  | { readonly role: "assistant"; readonly content: null; readonly tool_calls: readonly ToolCall[] }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

interface ChatLine {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly FunctionTool[];
}

/** A call and its answer; what could not be read as a call is text, and its answer comes from the user's side, as it answers no call. */
function messagesOf({ action, observation }: Pick<TurnRecord, "action" | "observation">, turn: number): readonly ChatMessage[] {
  const content = observationText(observation);
  if (action.kind !== "tool") return [{ role: "assistant", content: action.kind === "reply" ? action.text : action.raw }, { role: "user", content }];
  const id = callId(turn);
  return [
    { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name: action.name, arguments: JSON.stringify(action.args) } }] },
    { role: "tool", tool_call_id: id, content },
  ];
}

export interface ChatOptions {
  /** What one would imitate. */
  readonly onlySuccesses: boolean;
}

/**
 * Trajectories as chat JSON lines: `messages` and `tools`, one episode a line, as TRL's SFT trainer and fine-tuning services read them (TRL,
 * "Dataset formats", conversational with tools). No other keys, since some readers refuse them; rewards stand in the ATIF file.
 */
export function chatLines(config: RunConfig, events: readonly RunEvent[], tools: readonly ToolSchema[], { onlySuccesses }: ChatOptions): string {
  const offered = tools.map(functionTool);
  return trajectoriesOf(events)
    .filter(({ member }) => member.success || !onlySuccesses)
    .map(({ group, member }): ChatLine => ({
      messages: [{ role: "system", content: briefing(config) }, { role: "user", content: observationText(group.first) }, ...member.turns.flatMap(messagesOf)],
      tools: offered,
    }))
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}
