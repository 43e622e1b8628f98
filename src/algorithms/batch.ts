import type { Credit, Scored, ScoredGroup } from "#core/credit.ts";
import { HarnessError } from "#core/errors.ts";
import type { TrainBatch } from "#core/objective.ts";
import { isConstant } from "#core/statistics.ts";
import type { TokenSequence } from "#core/tokens.ts";
import type { Turn } from "#core/trajectory.ts";
import { returnOf, returnsToGo } from "./returns.ts";

/** One sequence to train on; the per-token arrays are [L] and count only where a token was sampled. */
export interface BatchRow {
  readonly sequence: TokenSequence;
  /** Index among the trajectories of the batch. */
  readonly trajectory: number;
  readonly advantages?: Float32Array;
  readonly returns?: Float32Array;
}

/** Rows as one padded batch, in the order given. Rows without advantages get 0; `returns` exists when every row has them. */
export function packRows(rows: readonly BatchRow[]): TrainBatch {
  const length = Math.max(0, ...rows.map(({ sequence }) => sequence.tokens.length));
  const size = rows.length * length;
  const returns = rows.length > 0 && rows.every((row) => row.returns !== undefined) ? new Float32Array(size) : undefined;
  const batch = {
    rows: rows.length,
    length,
    lengths: Uint32Array.from(rows, ({ sequence }) => sequence.tokens.length),
    tokens: new Uint32Array(size),
    mask: new Uint8Array(size),
    automatonStates: new Uint16Array(size),
    trajectoryOfRow: Uint32Array.from(rows, ({ trajectory }) => trajectory),
    advantages: new Float32Array(size),
    behaviorLogprobs: new Float32Array(size),
    pairs: [],
    ...(returns && { returns }),
  };
  for (const [index, row] of rows.entries()) {
    const start = index * length;
    batch.tokens.set(row.sequence.tokens, start);
    batch.automatonStates.set(row.sequence.automatonStates, start);
    batch.behaviorLogprobs.set(row.sequence.behaviorLogprobs, start);
    if (row.advantages) batch.advantages.set(row.advantages, start);
    if (row.returns) returns?.set(row.returns, start);
    for (const span of row.sequence.spans) if (span.sampled) batch.mask.fill(1, start + span.start, start + span.end);
  }
  return batch;
}

/** Values per turn written to the tokens sampled in it, one array a sequence, 0 elsewhere. */
function broadcast(sequences: readonly TokenSequence[], turns: readonly Turn[], perTurn: Float32Array): readonly Float32Array[] {
  const perToken = sequences.map(({ tokens }) => new Float32Array(tokens.length));
  for (const [index, turn] of turns.entries()) perToken[turn.sequence]?.fill(perTurn[index] as number, turn.start, turn.end);
  return perToken;
}

/** @throws HarnessError when turns and sampled spans disagree: a token outside every turn would be trained on without credit. */
function checkTurns(member: Scored, credit: Credit): void {
  const { sequences, turns, taskId } = member.trajectory;
  const spans = sequences.flatMap(({ spans: parts }) => parts.filter(({ sampled }) => sampled));
  const sampled = spans.reduce((sum, { start, end }) => sum + end - start, 0);
  const inTurns = turns.reduce((sum, { start, end }) => sum + end - start, 0);
  if (sampled !== inTurns) throw new HarnessError(`task ${taskId}: ${sampled} tokens were sampled, but its turns hold ${inTurns}`);
  if ("perTurn" in credit && credit.perTurn.length !== turns.length) {
    throw new HarnessError(`task ${taskId}: credit for ${credit.perTurn.length} turns, but there are ${turns.length}`);
  }
}

/** What a value function is fitted to, per token of each sequence. */
export function targetsOf({ trajectory: { sequences, turns }, rewards }: Scored, credit: Credit): readonly Float32Array[] {
  if ("perToken" in credit && credit.targets !== undefined) return credit.targets;
  return broadcast(sequences, turns, "perTurn" in credit && credit.targets !== undefined ? credit.targets : returnsToGo(rewards));
}

/** The sequences of one trajectory; none for a failed rollout, which is never trained on. */
function rowsOf(member: Scored, credit: Credit, trajectory: number): BatchRow[] {
  const { sequences, turns, ending } = member.trajectory;
  if (ending === "failed") return [];
  checkTurns(member, credit);
  const advantages = "perTurn" in credit ? broadcast(sequences, turns, credit.perTurn) : credit.perToken;
  const returns = targetsOf(member, credit);
  return sequences.map((sequence, index) => ({
    sequence, trajectory, advantages: advantages[index] as Float32Array, returns: returns[index] as Float32Array,
  }));
}

const pays = (credit: Credit): boolean =>
  ("perTurn" in credit ? [credit.perTurn] : credit.perToken).some((values) => values.some((value) => value !== 0));

/** All pairs of a group whose returns differ, the higher one chosen. @param first index of the group's first trajectory. */
function pairsOf(returns: readonly (number | null)[], first: number): TrainBatch["pairs"] {
  return returns.flatMap((better, chosen) => returns.flatMap((worse, rejected) =>
    better !== null && worse !== null && !isConstant([better, worse]) && better > worse ? [{ chosen: first + chosen, rejected: first + rejected }] : []));
}

export interface Minibatches {
  /** Never empty ones: fewer than asked for when fewer groups pay credit, none when no group does. */
  readonly batches: readonly TrainBatch[];
  /** Groups trained on, and groups left out because no turn of theirs gets credit. */
  readonly trained: number;
  readonly dropped: number;
}

/**
 * Groups with their credit as minibatches, in canonical order (group, member, sequence). Groups are never split; minibatches
 * are runs of neighbours whose sizes differ by one group at most. Under group-relative credit the groups left out are exactly
 * those whose rewards are all equal, so they enter no denominator either (and get no entropy or KL gradient).
 * @param credits [groups][G]
 * @throws HarnessError when a trajectory's turns do not cover its sampled tokens.
 */
export function makeMinibatches(groups: readonly ScoredGroup[], credits: readonly (readonly Credit[])[], count: number): Minibatches {
  const paid = groups
    .map(({ members }, index) => ({ members, credits: credits[index] as readonly Credit[] }))
    .filter((group) => group.credits.some(pays));
  const parts = Math.min(count, paid.length);
  const batches = Array.from({ length: parts }, (_, part) => {
    const chosen = paid.slice(Math.floor((part * paid.length) / parts), Math.floor(((part + 1) * paid.length) / parts));
    const members = chosen.flatMap((group) => group.members.map((member, index) => ({ member, credit: group.credits[index] as Credit })));
    const groupReturns = chosen.map((group) => group.members.map(returnOf));
    const firsts = groupReturns.map((_, group) => groupReturns.slice(0, group).flat().length);
    return {
      ...packRows(members.flatMap(({ member, credit }, trajectory) => rowsOf(member, credit, trajectory))),
      pairs: groupReturns.flatMap((returns, group) => pairsOf(returns, firsts[group] as number)),
      groupReturns,
    };
  });
  return { batches, trained: paid.length, dropped: groups.length - paid.length };
}
