import type { GroupRecord, MemberRecord, TurnRecord } from "#run/run-event.ts";
import { actionLabel, labelText, observationText } from "../board/action-label.ts";
import { reward } from "../format.ts";

/** In the order of their lifelines. */
export const PARTICIPANTS = ["policy", "harness", "tools", "customer", "verifier"] as const;
export type Participant = (typeof PARTICIPANTS)[number];

/** An episode goes round the first three until it ends, and through the last two once. */
export const PHASES = ["observe", "act", "execute", "terminal", "reward"] as const;
export type Phase = (typeof PHASES)[number];

export interface Message {
  readonly from: Participant;
  readonly to: Participant;
  readonly phase: Phase;
  readonly text: string;
  /** The turn that it belongs to. */
  readonly turn: number;
}

/** Who answers: the harness what it cannot parse, the customer what was asked of the customer, the tools everything else. */
function answering({ action, observation }: TurnRecord): Participant {
  if (action.kind === "malformed") return "harness";
  return action.kind === "reply" || observation.kind === "user" ? "customer" : "tools";
}

const ENDINGS: Readonly<Record<MemberRecord["ending"], string>> = {
  terminated: "the agent finished",
  truncated: "cut off: turns or tokens used up",
  failed: "broke down, does not count",
};

/** The attempt as messages; all but the harness's own pass through the harness. */
export function sequenceOf({ first }: GroupRecord, member: MemberRecord): readonly Message[] {
  const last = member.turns.length - 1;
  const messages: Message[] = [{ from: "customer", to: "policy", phase: "observe", text: observationText(first), turn: 0 }];
  for (const [turn, record] of member.turns.entries()) {
    const other = answering(record);
    messages.push(
      { from: "policy", to: other, phase: "act", text: labelText(actionLabel(record.action)), turn },
      { from: other, to: "policy", phase: "execute", text: observationText(record.observation), turn },
    );
  }
  if (last >= 0) messages.push({ from: "harness", to: "verifier", phase: "terminal", text: ENDINGS[member.ending], turn: last });
  if (last >= 0 && member.ending !== "failed") {
    messages.push({ from: "verifier", to: "harness", phase: "reward", text: `reward ${reward(member.reward)}`, turn: last });
  }
  return messages;
}

/** The states that a turn takes an episode through. */
export function phasesOf({ turns, ending }: MemberRecord, turn: number): ReadonlySet<Phase> {
  if (turn < turns.length - 1) return new Set(["observe", "act", "execute"]);
  return new Set(ending === "failed" ? ["observe", "act", "execute", "terminal"] : PHASES);
}
