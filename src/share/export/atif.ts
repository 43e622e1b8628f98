import type { ToolSchema } from "#core/environment.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { MemberRecord, RunEvent } from "#run/run-event.ts";
import { settingsAt } from "#run/settings-changes.ts";
import { functionTool, type FunctionTool } from "./tool-schemas.ts";
import { briefing, callId, observationText, trajectoriesOf, type ToldTrajectory } from "./told-trajectories.ts";

interface Step {
  /** From 1, without gaps. */
  readonly step_id: number;
  readonly source: "system" | "user" | "agent";
  readonly message: string;
  readonly model_name?: string;
  readonly tool_calls?: readonly { readonly tool_call_id: string; readonly function_name: string; readonly arguments: object }[];
  readonly observation?: { readonly results: readonly { readonly source_call_id?: string; readonly content: string }[] };
  readonly metrics?: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly logprobs: readonly number[] };
  readonly extra?: object;
}

interface AtifTrajectory {
  readonly schema_version: "ATIF-v1.7";
  readonly session_id: string;
  readonly trajectory_id: string;
  readonly agent: { readonly name: string; readonly version: string; readonly model_name: string; readonly tool_definitions: readonly FunctionTool[] };
  readonly steps: readonly Step[];
  readonly notes: string;
  readonly final_metrics: { readonly total_prompt_tokens: number; readonly total_completion_tokens: number; readonly total_steps: number };
  readonly extra: object;
}

export interface AtifSource {
  readonly config: RunConfig;
  readonly events: readonly RunEvent[];
  readonly tools: readonly ToolSchema[];
  /** Of this program. */
  readonly version: string;
}

/**
 * Trajectories in the Agent Trajectory Interchange Format 1.7 (Harbor, RFC 0001), one a line. Reward and credit of a turn stand in its `extra`,
 * verdicts in the trajectory's.
 */
export const atifLines = (source: AtifSource): string =>
  trajectoriesOf(source.events).map((told) => `${JSON.stringify(atifTrajectory(source, told))}\n`).join("");

function atifTrajectory({ config, events, tools, version }: AtifSource, { update, group, member, index }: ToldTrajectory): AtifTrajectory {
  const model = `turnwise-${config.preset}-seed-${config.seed}-update-${update - 1}`;
  const turns = member.turns.map((turn, at) => agentStep(member, at, turn, model));
  const total = (count: (metrics: NonNullable<Step["metrics"]>) => number): number => turns.reduce((sum, { metrics }) => sum + (metrics === undefined ? 0 : count(metrics)), 0);
  const steps: readonly Step[] = [
    { step_id: 1, source: "system", message: briefing(config) },
    { step_id: 2, source: "user", message: observationText(group.first) },
    ...turns,
  ];
  return {
    schema_version: "ATIF-v1.7",
    session_id: `${config.preset}/${config.seed}`,
    trajectory_id: `${group.groupId}/${index + 1}`,
    agent: { name: "turnwise", version, model_name: model, tool_definitions: tools.map(functionTool) },
    steps,
    notes: "Observations are JSON with a kind and a content. Logprobs are nats over the tokens that were legal. The reward and credit of a turn are in its extra.",
    final_metrics: { total_prompt_tokens: total((metrics) => metrics.prompt_tokens), total_completion_tokens: total((metrics) => metrics.completion_tokens), total_steps: steps.length },
    extra: {
      update, task_id: group.taskId, group_id: group.groupId, reward: member.reward, success: member.success, ending: member.ending, checks: member.checks, monitors: member.monitors,
      credit: settingsAt(config, events, update).algorithm.credit.id,
    },
  };
}

function agentStep({ sequences }: MemberRecord, at: number, turn: MemberRecord["turns"][number], model: string): Step {
  const { action, observation, sequence, start, end } = turn;
  const content = observationText(observation);
  const sampled = (sequences[sequence] ?? []).slice(start, end);
  const common = {
    step_id: at + 3, source: "agent", model_name: model,
    metrics: { prompt_tokens: start, completion_tokens: sampled.length, logprobs: sampled.map(({ logprob }) => logprob) },
    extra: { reward: turn.reward, credit: turn.credit, events: turn.events },
  } as const;
  if (action.kind !== "tool") return { ...common, message: action.kind === "reply" ? action.text : action.raw, observation: { results: [{ content }] } };
  const id = callId(at);
  return {
    ...common, message: "", tool_calls: [{ tool_call_id: id, function_name: action.name, arguments: action.args }],
    observation: { results: [{ source_call_id: id, content }] },
  };
}
