import type { Scored } from "#core/credit.ts";
import type { Turn } from "#core/trajectory.ts";
import type { MaskedRows } from "#algorithms/masked-rows.ts";
import { turnRewards } from "#algorithms/returns.ts";

/** The sampled tokens of trajectories, a row each, turn after turn across its sequences; what the policy only read is left out. */
export interface ActionTokens extends MaskedRows {
  readonly starts: Uint32Array;
  /** 1 on the last token of a turn. */
  readonly turnEnds: Uint8Array;
  /** A turn's reward on its last token, the terminal one with the last turn's; else 0. */
  readonly rewards: Float64Array;
}

interface Place {
  readonly member: number;
  readonly turn: Turn;
  readonly reward: number;
  /** Half-open range of the turn's tokens. */
  readonly from: number;
  readonly to: number;
}

function placesOf(members: readonly Scored[]): Place[] {
  let from = 0;
  return members.flatMap(({ trajectory, rewards }, member) => {
    const paid = turnRewards(rewards);
    return trajectory.turns.map((turn, index) => {
      const place = { member, turn, reward: paid[index] as number, from, to: from + turn.end - turn.start };
      from = place.to;
      return place;
    });
  });
}

export function actionTokens(members: readonly Scored[]): ActionTokens {
  const places = placesOf(members);
  const count = places.at(-1)?.to ?? 0;
  const starts = new Uint32Array(members.length + 1);
  const [turnEnds, rewards] = [new Uint8Array(count), new Float64Array(count)];
  for (const { member, reward, to } of places) {
    starts[member + 1] = to;
    turnEnds[to - 1] = 1;
    rewards[to - 1] = reward;
  }
  for (let row = 1; row < starts.length; row += 1) starts[row] = Math.max(starts[row] as number, starts[row - 1] as number);
  return { starts, mask: new Uint8Array(count).fill(1), turnEnds, rewards };
}

/** One number for each action token, out of arrays that go along whole sequences. */
export function gather(members: readonly Scored[], perToken: (member: Scored) => readonly Float32Array[]): Float64Array {
  const places = placesOf(members);
  const values = new Float64Array(places.at(-1)?.to ?? 0);
  const arrays = members.map(perToken);
  for (const { member, turn, from } of places) values.set(arrays[member]?.[turn.sequence]?.subarray(turn.start, turn.end) ?? [], from);
  return values;
}

/** The way back: an array along each sequence of each trajectory, 0 where nothing was sampled. */
export function scatter(members: readonly Scored[], values: Float64Array): Float32Array[][] {
  const arrays = members.map(({ trajectory }) => trajectory.sequences.map(({ tokens }) => new Float32Array(tokens.length)));
  for (const { member, turn, from, to } of placesOf(members)) arrays[member]?.[turn.sequence]?.set(values.subarray(from, to), turn.start);
  return arrays;
}
