import { ENVIRONMENTS } from "#environments/registry.ts";
import type { Observation } from "#core/trajectory.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { GroupRecord, MemberRecord, RunEvent } from "#run/run-event.ts";

/** One trajectory of a run with where it stood. */
export interface ToldTrajectory {
  readonly update: number;
  readonly group: GroupRecord;
  readonly member: MemberRecord;
  readonly index: number;
}

/** Of every group that the events still have, in order. */
export const trajectoriesOf = (events: readonly RunEvent[]): readonly ToldTrajectory[] =>
  events.flatMap((event) => (event.type === "group" ? event.group.members.map((member, index) => ({ update: event.update, group: event.group, member, index })) : []));

/** What a reader of the file is told beforehand. The policy itself saw tokens of the environment's own words, and none of this sentence. */
export const briefing = ({ environment, harness }: RunConfig): string =>
  `You act in the environment “${ENVIRONMENTS[environment.id].title}” through its tools, one call a turn, ${harness.turns} turns at most. What comes back is JSON: its kind and its content.`;

/** Observations are structured; a message is text. */
export const observationText = ({ kind, content }: Observation): string => JSON.stringify({ kind, content });

export const callId = (turn: number): string => `call_${turn + 1}`;
