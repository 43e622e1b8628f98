import type { Credit, Scored, ScoredGroup } from "#core/credit.ts";

/** A rollout that did not fail, and the index of its group. */
export interface Placed {
  readonly member: Scored;
  readonly group: number;
}

const isScorable = ({ trajectory }: Scored): boolean => trajectory.ending !== "failed";
const noCredit = ({ trajectory }: Scored): Credit => ({ perTurn: new Float32Array(trajectory.turns.length) });

/** Credit by a rule over the scorable rollouts of the whole batch, in order; failed ones are not seen by it and get 0. */
export function creditBatch(groups: readonly ScoredGroup[], rule: (placed: readonly Placed[]) => readonly Credit[]): Credit[][] {
  const credits = rule(groups.flatMap(({ members }, group) => members.filter(isScorable).map((member) => ({ member, group })))).values();
  return groups.map(({ members }) => members.map((member) => (isScorable(member) ? (credits.next().value as Credit) : noCredit(member))));
}

/** Credit by a rule that sees the scorable rollouts of one group at a time. */
export const creditGroups = (groups: readonly ScoredGroup[], rule: (members: readonly Scored[]) => readonly Credit[]): Credit[][] =>
  groups.flatMap((group) => creditBatch([group], (placed) => rule(placed.map(({ member }) => member))));

/** @param values [turns] */
export const perTurn = (values: ArrayLike<number>): Credit => ({ perTurn: Float32Array.from(values) });

/** The same credit for every turn. */
export const perTrajectory = ({ trajectory }: Scored, value: number): Credit => ({ perTurn: new Float32Array(trajectory.turns.length).fill(value) });
