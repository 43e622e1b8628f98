import type { Credit, ScoredGroup } from "#core/credit.ts";
import type { Task } from "#core/environment.ts";
import { ConfigError, HarnessError } from "#core/errors.ts";
import type { Completion, PolicyBackend } from "#core/policy.ts";
import { createRng } from "#core/rng.ts";
import { hasSignal } from "#algorithms/returns.ts";
import { FREE_STATE, ILLEGAL, type TokenAutomaton } from "#core/tokens.ts";
import type { RecordedTrajectories, RecordedTurn } from "#run/evidence.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { GroupRecord } from "#run/run-event.ts";
import { playAll, type Arena } from "./arena.ts";
import { groupRecord } from "./group-record.ts";
import { drawStream, memberStream } from "./roll-out.ts";

/** Trajectories that a link tells of, and the run they are from. */
export interface ReplayRequest {
  readonly config: RunConfig;
  readonly recorded: RecordedTrajectories;
}

/** @throws HarnessError for a word that is not in the vocabulary, or a token that was not legal there. */
function completionOf({ words, logprobs }: RecordedTurn, { automaton, vocabulary, constrained }: { readonly automaton: TokenAutomaton; readonly vocabulary: { id(word: string): number }; readonly constrained: boolean }): Completion {
  const tokens = Uint32Array.from(words, (word) => vocabulary.id(word));
  const states = new Uint16Array(tokens.length);
  let state = constrained ? automaton.startState : FREE_STATE;
  for (const [at, token] of tokens.entries()) {
    const next = automaton.next[state * automaton.vocabularySize + token] ?? ILLEGAL;
    if (next === ILLEGAL) throw new HarnessError(`the recorded “${words[at]}” was not allowed where it stands`, { at });
    states[at] = state;
    state = next;
  }
  return { tokens, logprobs: Float32Array.from(logprobs), automatonStates: states, stop: "end-of-action" };
}

/**
 * Says again what was recorded: of each slot, one turn after the other.
 * @throws HarnessError where an episode goes on beyond its record
 */
function scripted<T extends Task, S>({ harness, constrained }: Arena<T, S>, members: RecordedTrajectories["members"]): Pick<PolicyBackend, "sample"> & { readonly said: readonly number[] } {
  const said = members.map(() => 0);
  return {
    said,
    sample: (requests) =>
      Promise.resolve(requests.map(({ slot }) => {
        const turn = members[slot]?.turns[said[slot] ?? 0];
        said[slot] = (said[slot] ?? 0) + 1;
        if (turn === undefined) throw new HarnessError(`trajectory ${slot + 1} goes on where its record ends`);
        return completionOf(turn, { ...harness, constrained });
      })),
  };
}

/** Rewards of turns are rounded in a link, each to a thousandth. */
const ROUNDED = 0.0006;

/** @throws ConfigError where the reward that a trajectory has in its group is not what its turns were paid */
function agree(member: number, turns: readonly RecordedTurn[], rewards: RecordedTrajectories["rewards"]): void {
  if (rewards === undefined) return;
  const [told, paid] = [rewards[member], turns.reduce((sum, { reward }) => sum + reward, 0)];
  if (told === null || told === undefined || Math.abs(told - paid) > ROUNDED * (turns.length + 1)) throw new ConfigError(`trajectory ${member + 1} is paid ${paid.toFixed(3)} by its turns and ${told?.toFixed(3) ?? "nothing"} in its group`);
}

/**
 * The group again, from what its policy wrote: the real environment and harness play it, from the run's seed, without any policy. Of credit
 * it has what was recorded.
 * @throws HarnessError or ConfigError where that is not a group of such a run
 */
export async function replayRecorded<T extends Task, S>(arena: Arena<T, S>, { config, recorded }: ReplayRequest): Promise<GroupRecord> {
  const { update, round, index, members, rewards, rows } = recorded;
  const { groupsPerUpdate, groupSize } = config.algorithm;
  if (index >= groupsPerUpdate || members.some(({ member }) => member >= groupSize)) throw new ConfigError(`the run has ${groupsPerUpdate} groups of ${groupSize}: there is no trajectory as recorded`);
  if (rewards !== undefined && rewards.length !== groupSize) throw new ConfigError(`the link has rewards of ${rewards.length} trajectories; the run's groups have ${groupSize}`);
  for (const { member, turns } of members) agree(member, turns, rewards);
  const stream = createRng(config.seed).fork("train").fork(`update/${update}`);
  const drawn = drawStream(stream, round);
  const task = arena.tasks("train", index + 1, drawn.fork("tasks"))[index];
  if (task === undefined) throw new ConfigError(`there is no task ${index}`);
  // Not to be taken for a group of a run in the same page.
  const groupId = `recorded/${update}/${round}/${index}`;
  const policy = scripted(arena, members);
  const played = await playAll(arena, members.map(({ member }) => arena.spec(task, groupId, memberStream(drawn, index, member), update - 1)), policy, { greedy: false, concurrency: members.length });
  for (const [at, { turns }] of members.entries()) {
    if (policy.said[at] !== turns.length) throw new HarnessError(`trajectory ${at + 1} ends after ${policy.said[at] ?? 0} of its ${turns.length} recorded turns`);
  }
  const [trained] = rows;
  const scored: ScoredGroup = {
    groupId,
    members: played.map(({ trajectory, verdict }, at) => ({ trajectory, verdict, rewards: { perTurn: Float32Array.from(members[at]?.turns ?? [], ({ reward }) => reward), terminal: 0 } })),
  };
  const credits = members.map((_, at): Credit => ({ perTurn: Float32Array.from(trained?.credits[at] ?? []) }));
  const record = await groupRecord(arena, null, task, scored, credits, rows, stream);
  // Some of a group cannot tell that all of it was equal: only its rewards can.
  return { ...record, informative: rewards === undefined ? members.length < groupSize || record.informative : hasSignal(rewards) };
}
