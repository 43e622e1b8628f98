import type { Arithmetic } from "#core/policy.ts";
import type { CreditRow, GroupTruth } from "./assessment.ts";
import { shortFingerprint, type WeightMark } from "./fingerprint.ts";
import type { GroupRecord, MemberRecord, RunEvent } from "./run-event.ts";

/** Most trajectories that a link carries. */
export const MOST_TRAJECTORIES = 8;

/** One point of the curve summary and of the fingerprint. */
export interface EvidenceMark extends WeightMark {
  readonly update: number;
  /** Mean success of the trajectories sampled since the mark before. */
  readonly success: number;
}

/** What the policy wrote in one turn; all else follows from seed, environment and harness. */
export interface RecordedTurn {
  readonly words: readonly string[];
  /** [words] nats over the legal tokens. */
  readonly logprobs: readonly number[];
  readonly reward: number;
}

export interface RecordedMember {
  /** Its place in the group it was sampled in. */
  readonly member: number;
  readonly turns: readonly RecordedTurn[];
}

/** Some trajectories of one group, and what schemes pay them. */
export interface RecordedTrajectories {
  readonly update: number;
  /** Of dynamic sampling; 0 is what was drawn at first. */
  readonly round: number;
  /** Place among the groups of that draw. */
  readonly index: number;
  readonly members: readonly RecordedMember[];
  /** [G] of the whole group, in its order: what its credit was compared with. Null for a failed rollout; absent where a link was made before they travelled. */
  readonly rewards?: readonly (number | null)[];
  /** [members][turns]; the scheme trained with first. */
  readonly rows: readonly CreditRow[];
  readonly truth: GroupTruth | null;
}

/** What a run has shown of itself: enough to look at it at once, and to tell whether another run is the same. */
export interface Evidence {
  readonly arithmetic: Arithmetic;
  /** `shortFingerprint` of the starting weights. */
  readonly start: number;
  /** The last update that had ended. */
  readonly update: number;
  /** At `markUpdates`, as far as the run has come. */
  readonly marks: readonly EvidenceMark[];
  readonly trajectories: RecordedTrajectories | null;
}

/** What a run shows at its marks; null before its first update has ended. */
export function marksOf(events: readonly RunEvent[]): Omit<Evidence, "trajectories"> | null {
  const marks: EvidenceMark[] = [];
  let started: Extract<RunEvent, { type: "run-started" }> | null = null;
  let [update, sum, count] = [0, 0, 0];
  for (const event of events) {
    if (event.type === "run-started") started = event;
    if (event.type !== "update") continue;
    update = event.update;
    sum += event.metrics.success * event.metrics.trajectories;
    count += event.metrics.trajectories;
    if (event.mark === undefined) continue;
    marks.push({ update, ...event.mark, success: count === 0 ? 0 : sum / count });
    [sum, count] = [0, 0];
  }
  return started === null || update === 0 ? null : { arithmetic: started.arithmetic, start: shortFingerprint(started.fingerprint), update, marks };
}

function turnsOf({ sequences, turns }: MemberRecord): readonly RecordedTurn[] {
  return turns.map(({ sequence, start, end, reward }) => {
    const tokens = (sequences[sequence] ?? []).slice(start, end);
    return { words: tokens.map(({ word }) => word), logprobs: tokens.map(({ logprob }) => logprob), reward };
  });
}

const placeIn = ({ groupId, redrawn }: GroupRecord): { readonly round: number; readonly index: number } =>
  redrawn ?? { round: 0, index: Number(groupId.split("/")[1] ?? 0) };

/** Up to so many members, those of both outcomes in turn where both occur, in the group's order. */
function chosen({ members }: GroupRecord, count: number): readonly number[] {
  const among = (success: boolean): readonly number[] => members.flatMap((member, index) => (member.success === success && member.ending !== "failed" ? [index] : []));
  const [worked, failed] = [among(true), among(false)];
  const inTurn = Array.from({ length: members.length }, (_, index) => [worked[index], failed[index]]).flat().filter((index) => index !== undefined);
  return inTurn.slice(0, count).toSorted((a, b) => a - b);
}

/**
 * Trajectories of a group with all that is known of their credit.
 * @param rows what schemes pay the whole group, the one trained with first. @param truth of the whole group
 */
export function recordedTrajectories(update: number, group: GroupRecord, rows: readonly CreditRow[], truth: GroupTruth | null, count: number): RecordedTrajectories | null {
  const members = chosen(group, Math.min(count, MOST_TRAJECTORIES));
  if (members.length === 0) return null;
  const picked = <V>(values: readonly V[]): V[] => members.flatMap((member) => values.slice(member, member + 1));
  return {
    update, ...placeIn(group),
    members: members.flatMap((member) => group.members.slice(member, member + 1).map((record) => ({ member, turns: turnsOf(record) }))),
    rewards: group.members.map(({ ending, reward }) => (ending === "failed" ? null : reward)),
    rows: rows.map((row) => ({ ...row, credits: picked(row.credits) })),
    truth: truth && { ...truth, members: picked(truth.members) },
  };
}
