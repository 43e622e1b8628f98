import { hasSignal, returnOf } from "#algorithms/returns.ts";
import type { Rng } from "#core/chance.ts";
import type { Credit, Scored, ScoredGroup } from "#core/credit.ts";
import type { Task } from "#core/environment.ts";
import { canonical } from "#core/json.ts";
import type { PolicyBackend } from "#core/policy.ts";
import { populationStd } from "#core/statistics.ts";
import { ILLEGAL, type TokenSequence } from "#core/tokens.ts";
import type { Json, Turn } from "#core/trajectory.ts";
import type { CreditRow } from "#run/assessment.ts";
import type { GroupRecord, MemberRecord } from "#run/run-event.ts";
import type { Arena } from "./arena.ts";
import { turnCredits } from "./board-rows.ts";

/** Most alternatives kept of one choice. */
const SHOWN = 8;

type Scene<T extends Task, S> = Pick<Arena<T, S>, "environment" | "harness">;
type Alternatives = readonly { readonly word: string; readonly logprob: number }[];

/** Null where the policy that sampled is gone: of each choice only the token taken is known. */
type Asked = Pick<PolicyBackend, "nextLogprobs"> | null;

/** The likeliest legal tokens where a sampled token was a choice, by position in the sequence. */
async function alternativesOf<T extends Task, S>({ harness: { automaton, vocabulary } }: Scene<T, S>, policy: Asked, sequence: TokenSequence, rng: Rng): Promise<ReadonlyMap<number, Alternatives>> {
  const size = automaton.vocabularySize;
  const sampled = sequence.spans.flatMap(({ start, end, sampled: yes }) => (yes ? Array.from({ length: end - start }, (_, index) => start + index) : []));
  const choices = sampled.filter((at) => {
    const state = sequence.automatonStates[at] ?? 0;
    return automaton.next.subarray(state * size, (state + 1) * size).filter((to) => to !== ILLEGAL).length > 1;
  });
  if (choices.length === 0) return new Map();
  if (policy === null) return new Map(choices.map((at) => [at, [{ word: vocabulary.words[sequence.tokens[at] ?? 0] ?? "?", logprob: sequence.behaviorLogprobs[at] ?? 0 }]]));
  const logprobs = await policy.nextLogprobs(
    choices.map((at, slot) => ({ tokens: sequence.tokens.slice(0, at), automatonState: sequence.automatonStates[at] ?? 0, slot, rng })),
  );
  return new Map(
    choices.map((at, index) => {
      const row = logprobs.subarray(index * size, (index + 1) * size);
      const legal = Array.from(row.keys()).filter((token) => row[token] !== -Infinity).toSorted((a, b) => (row[b] ?? 0) - (row[a] ?? 0));
      const chosen = sequence.tokens[at] ?? 0;
      const shown = legal.slice(0, SHOWN);
      if (!shown.includes(chosen)) shown[shown.length - 1] = chosen;
      return [at, shown.map((token) => ({ word: vocabulary.words[token] ?? "?", logprob: row[token] ?? 0 }))];
    }),
  );
}

/** Hidden states before the first turn and after each, found again by what was observed. */
async function statesOf<T extends Task, S>({ environment }: Scene<T, S>, task: T, turns: readonly Turn[]): Promise<readonly Json[]> {
  let { state } = environment.reset(task);
  const states = [environment.inspect(state)];
  for (const { action, observation } of turns) {
    const outcomes = action.kind === "malformed" ? [] : await environment.outcomes(state, action);
    const seen = canonical({ kind: observation.kind, content: observation.content });
    state = outcomes.find((outcome) => canonical({ kind: outcome.observation.kind, content: outcome.observation.content }) === seen)?.state ?? state;
    states.push(environment.inspect(state));
  }
  return states;
}

/** The same of one trajectory. */
export async function memberRecord<T extends Task, S>(arena: Scene<T, S>, policy: Asked, task: T, member: Scored, credit: Credit, rng: Rng): Promise<MemberRecord> {
  const { trajectory, verdict, rewards } = member;
  const { words } = arena.harness.vocabulary;
  const states = await statesOf(arena, task, trajectory.turns);
  const paid = turnCredits(member, credit);
  const sequences = [];
  for (const sequence of trajectory.sequences) {
    const alternatives = await alternativesOf(arena, policy, sequence, rng);
    sequences.push(
      sequence.spans.flatMap(({ start, end, sampled }) =>
        Array.from(sequence.tokens.subarray(start, end), (token, index) => {
          const among = alternatives.get(start + index);
          return { word: words[token] ?? "?", sampled, logprob: sequence.behaviorLogprobs[start + index] ?? 0, ...(among ? { alternatives: among } : {}) };
        }),
      ),
    );
  }
  return {
    reward: returnOf(member) ?? 0,
    success: verdict.success,
    ending: trajectory.ending,
    checks: Object.fromEntries(verdict.checks.map(({ name, passed }) => [name, passed])),
    monitors: verdict.monitors.filter(({ fired }) => fired).map(({ name }) => name),
    stateBefore: states[0] ?? null,
    sequences,
    turns: trajectory.turns.map(({ sequence, start, end, anchorKey, action, observation, events }, index) => ({
      sequence, start, end, action, observation,
      events: events.map(({ id }) => id),
      credit: paid[index] ?? 0,
      reward: (rewards.perTurn[index] ?? 0) + (index === trajectory.turns.length - 1 ? rewards.terminal : 0),
      anchorKey,
      stateAfter: states[index + 1] ?? null,
    })),
  };
}

/**
 * Everything a person may want to read of one group, as plain data. The policy must still be the one that sampled it.
 * @param credits [G] of the scheme trained with. @param rows what the board shows of schemes
 */
export async function groupRecord<T extends Task, S>(
  arena: Arena<T, S>, policy: Asked, task: T, { groupId, members }: ScoredGroup, credits: readonly Credit[], rows: readonly CreditRow[], rng: Rng,
): Promise<GroupRecord> {
  const first = members[0]?.trajectory;
  const records: MemberRecord[] = [];
  for (const [index, member] of members.entries())
    records.push(await memberRecord(arena, policy, task, member, credits[index] ?? { perTurn: new Float32Array() }, rng));
  return {
    groupId,
    taskId: task.id,
    first: first?.first ?? { kind: "none", content: null },
    members: records,
    informative: hasSignal(members.map(returnOf)),
    credits: rows,
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
