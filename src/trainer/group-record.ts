import { hasSignal, returnOf } from "#algorithms/returns.ts";
import type { Credit, Scored, ScoredGroup } from "#core/credit.ts";
import type { Vocabulary } from "#core/harness.ts";
import { populationStd } from "#core/statistics.ts";
import type { GroupRecord, MemberRecord } from "#run/run-event.ts";

const sum = (values: Float32Array): number => values.reduce((total, value) => total + value, 0);

function memberRecord(member: Scored, credit: Credit, vocabulary: Vocabulary): MemberRecord {
  const { trajectory, verdict, rewards } = member;
  return {
    reward: returnOf(member) ?? 0,
    success: verdict.success,
    ending: trajectory.ending,
    checks: Object.fromEntries(verdict.checks.map(({ name, passed }) => [name, passed])),
    monitors: verdict.monitors.filter(({ fired }) => fired).map(({ name }) => name),
    sequences: trajectory.sequences.map(({ tokens, spans, behaviorLogprobs }) =>
      spans.flatMap(({ start, end, sampled }) =>
        Array.from(tokens.subarray(start, end), (token, index) => ({
          word: vocabulary.words[token] ?? "?", sampled, logprob: behaviorLogprobs[start + index] ?? 0,
        })),
      ),
    ),
    turns: trajectory.turns.map(({ sequence, start, end, action, observation, events }, index) => ({
      sequence, start, end, action, observation,
      events: events.map(({ id }) => id),
      credit: "perTurn" in credit ? (credit.perTurn[index] ?? 0) : sum((credit.perToken[sequence] ?? new Float32Array()).subarray(start, end)),
      reward: (rewards.perTurn[index] ?? 0) + (index === trajectory.turns.length - 1 ? rewards.terminal : 0),
    })),
  };
}

/** Everything a person may want to read of one group, as plain data. */
export function groupRecord({ groupId, members }: ScoredGroup, credits: readonly Credit[], vocabulary: Vocabulary): GroupRecord {
  const first = members[0]?.trajectory;
  return {
    groupId,
    taskId: first?.taskId ?? "",
    first: first?.first ?? { kind: "none", content: null },
    members: members.map((member, index) => memberRecord(member, credits[index] ?? { perTurn: new Float32Array() }, vocabulary)),
    informative: hasSignal(members.map(returnOf)),
  };
}

/** Returns of the members that ended; failed rollouts have none. */
export const returnsOf = ({ members }: ScoredGroup): readonly number[] => members.map(returnOf).filter((value) => value !== null);

/** Index of the group whose returns are spread most, the first on ties: the one worth looking at. */
export function mostInformative(groups: readonly ScoredGroup[]): number {
  let [best, most] = [0, -1];
  for (const [index, group] of groups.entries()) {
    const spread = populationStd(returnsOf(group));
    if (spread > most + 1e-9) [best, most] = [index, spread];
  }
  return best;
}
