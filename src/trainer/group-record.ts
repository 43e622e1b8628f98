import type { Credit, Scored, ScoredGroup } from "#core/credit.ts";
import type { Vocabulary } from "#core/harness.ts";
import type { GroupRecord, MemberRecord } from "#run/run-event.ts";

const sum = (values: Float32Array): number => values.reduce((total, value) => total + value, 0);

/** What a trajectory was paid in all. */
export const totalReward = ({ rewards }: Scored): number => sum(rewards.perTurn) + rewards.terminal;

function memberRecord(member: Scored, credit: Credit, vocabulary: Vocabulary): MemberRecord {
  const { trajectory, verdict, rewards } = member;
  return {
    reward: totalReward(member),
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
  const rewards = members.map(totalReward);
  const first = members[0]?.trajectory;
  return {
    groupId,
    taskId: first?.taskId ?? "",
    first: first?.first ?? { kind: "none", content: null },
    members: members.map((member, index) => memberRecord(member, credits[index] ?? { perTurn: new Float32Array() }, vocabulary)),
    informative: rewards.some((reward) => reward !== rewards[0]),
  };
}

/** Index of the group whose rewards are spread most evenly, the first on ties: the one worth looking at. */
export function mostInformative(groups: readonly ScoredGroup[]): number {
  let [best, most] = [0, -1];
  for (const [index, { members }] of groups.entries()) {
    const rewards = members.map(totalReward);
    const mean = rewards.reduce((total, reward) => total + reward, 0) / rewards.length;
    const spread = rewards.reduce((total, reward) => total + (reward - mean) ** 2, 0);
    if (spread > most + 1e-9) [best, most] = [index, spread];
  }
  return best;
}
