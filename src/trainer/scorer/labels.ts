import { targetsOf } from "#algorithms/batch.ts";
import { isWithinBand } from "#algorithms/credit/prime.ts";
import type { CreditConfig } from "#algorithms/credit/registry.ts";
import { succeeded } from "#algorithms/returns.ts";
import { passed } from "#algorithms/rewards/verifiable.ts";
import type { Credit, Judged, Scored, ScoredGroup } from "#core/credit.ts";
import { PolicyError } from "#core/errors.ts";
import type { Labelled, Played, PlayedGroup } from "../scorer.ts";

/** Scored groups with the wording each of their rollouts was played in. @param rollouts all of them, in order. @throws PolicyError for others */
export function played(groups: readonly ScoredGroup[], rollouts: readonly Played[]): readonly PlayedGroup<Scored & Played>[] {
  const rest = rollouts.values();
  return groups.map(({ groupId, members }) => ({
    members: members.map((member, index) => {
      const rollout = rest.next().value;
      if (rollout?.trajectory !== member.trajectory) throw new PolicyError(`member ${index} of group ${groupId} is not the rollout it is said to be`);
      return { ...member, wording: rollout.wording };
    }),
  }));
}

const labelled = <P extends Played, L>(groups: readonly PlayedGroup<P>[], label: (member: P, group: number, index: number) => L | null): PlayedGroup<Labelled<L>>[] =>
  groups.map(({ members }, group) => ({ members: members.map((member, index) => ({ ...member, label: member.trajectory.ending === "failed" ? null : label(member, group, index) })) }));

/** Whether each trajectory was paid at its end; PRIME leaves out the groups that its accuracy band does. */
export function outcomeLabels(groups: readonly PlayedGroup<Scored & Played>[], credit: CreditConfig): PlayedGroup<Labelled<boolean>>[] {
  const kept = groups.map(({ members }) => credit.id !== "prime" || isWithinBand(members, credit));
  return labelled(groups, (member, group) => (kept[group] === true ? succeeded(member) : null));
}

/** What credit says a critic is fitted to. @param credits [groups][G] */
export const targetLabels = (groups: readonly PlayedGroup<Scored & Played>[], credits: readonly (readonly Credit[])[]): PlayedGroup<Labelled<readonly Float32Array[]>>[] =>
  labelled(groups, (member, group, index) => {
    const credit = credits[group]?.[index];
    return credit === undefined ? null : targetsOf(member, credit);
  });

/** Whether each trajectory passed the strict verdict, or the named check. @throws ConfigError for a check that the environment does not make */
export const verdictLabels = (groups: readonly PlayedGroup<Judged & Played>[], check: string): PlayedGroup<Labelled<boolean>>[] => labelled(groups, (member) => passed(member, check));
