import * as v from "valibot";
import type { Scored } from "#core/credit.ts";
import { discountedReturns, turnRewards } from "#algorithms/returns.ts";
import type { Assign, CreditEntry } from "./entry.ts";
import { groupAdvantage } from "./flat.ts";
import { creditGroups } from "./scorable.ts";

const schema = v.strictObject({});

export interface RoleSample {
  readonly reward: number;
  readonly role: string;
  readonly episode: string;
}

/**
 * R - mean over the peers: samples of the same role, and of the same episode too where the role is one of `perEpisodeRoles`; 0 alone.
 * @returns one a sample
 * Source: algo/hierarchical_grpo.py of prime-rl; algorithms.md, section 4.3.
 */
export function hierarchicalGroups(samples: readonly RoleSample[], perEpisodeRoles: readonly string[]): number[] {
  const keys = samples.map(({ role, episode }) => JSON.stringify(perEpisodeRoles.includes(role) ? [role, episode] : [role]));
  const advantages = samples.map(() => 0);
  for (const key of new Set(keys)) {
    const peers = [...keys.keys()].filter((index) => keys[index] === key);
    const centred = groupAdvantage(peers.map((index) => (samples[index] as RoleSample).reward), { std: "none", eps: 0, leaveOneOut: false });
    for (const [place, index] of peers.entries()) advantages[index] = centred[place] as number;
  }
  return advantages;
}

interface Stage {
  readonly subtask: string;
  readonly firstTurn: number;
}

/** Where sub-tasks begin: a stage ends with a turn that reached a sub-goal (an event of positive weight) and is named by those reached before it. */
function stagesOf({ trajectory }: Scored): Stage[] {
  const reached = new Set<string>();
  const stages: Stage[] = [];
  let open = true;
  for (const [turn, { events }] of trajectory.turns.entries()) {
    if (open) stages.push({ subtask: [...reached].toSorted().join(" "), firstTurn: turn });
    open = events.some(({ weight }) => weight > 0);
    for (const { id, weight } of events) if (weight > 0) reached.add(id);
  }
  return stages;
}

/**
 * A sample is the work on one sub-task: the turns between two sub-goals, with the return from its first turn on; all of them share its
 * credit. Peers worked on it from the same sub-goals: what a sample goes on to reach is not part of its role, which would bias the baseline.
 */
export const hierarchical: CreditEntry<typeof schema> = {
  id: "hierarchical",
  title: "Hierarchical (by sub-task)",
  needs: [],
  schema,
  defaults: {},
};

export const assign: Assign<typeof schema> = (groups) =>
  creditGroups(groups, (members) => {
    const stages = members.map(stagesOf);
    const samples = members.flatMap(({ rewards }, member) => {
      const returns = discountedReturns(turnRewards(rewards), 1);
      return (stages[member] as Stage[]).map(({ subtask, firstTurn }) => ({ reward: returns[firstTurn] as number, role: subtask, episode: String(member) }));
    });
    const advantages = hierarchicalGroups(samples, []).values();
    return members.map(({ trajectory }, member) => {
      const credits = new Float32Array(trajectory.turns.length);
      for (const { firstTurn } of stages[member] as Stage[]) credits.fill(advantages.next().value as number, firstTurn);
      return { perTurn: credits };
    });
  });
