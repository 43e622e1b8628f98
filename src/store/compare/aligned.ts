import { canonical } from "#core/json.ts";
import type { Action, Observation } from "#core/trajectory.ts";
import type { MemberRecord } from "#run/run-event.ts";

const actionKey = (action: Action): string => canonical(action);
const observationKey = ({ kind, content }: Observation): string => canonical({ kind, content });

/**
 * The first turn, counted from 0, at which two trajectories of one task do or see something else; where one of them has ended, the turn it
 * lacks. Null when they are the same to the end.
 */
export function firstDifference(first: Pick<MemberRecord, "turns">, second: Pick<MemberRecord, "turns">): number | null {
  const longest = Math.max(first.turns.length, second.turns.length);
  for (let turn = 0; turn < longest; turn += 1) {
    const [a, b] = [first.turns[turn], second.turns[turn]];
    if (a === undefined || b === undefined) return turn;
    if (actionKey(a.action) !== actionKey(b.action) || observationKey(a.observation) !== observationKey(b.observation)) return turn;
  }
  return null;
}
