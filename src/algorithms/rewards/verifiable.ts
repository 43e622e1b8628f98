import * as v from "valibot";
import type { Judged, TurnRewards } from "#core/credit.ts";
import { ConfigError } from "#core/errors.ts";
import type { RewardEntry, Score } from "./entry.ts";

export const checkField = v.pipe(
  v.string(), v.minLength(1), v.maxLength(60),
  v.metadata({ title: "Pays for", help: "success is the strict verdict; any other name is one of the environment's weaker checks." }),
);
const schema = v.strictObject({ check: checkField });

/** False for a failed rollout, whose verdict is not read. @throws ConfigError for a check that the environment does not make. */
export function passed({ trajectory, verdict }: Judged, check: string): boolean {
  if (trajectory.ending === "failed") return false;
  if (check === "success") return verdict.success;
  const found = verdict.checks.find(({ name }) => name === check);
  if (found !== undefined) return found.passed;
  const known = ["success", ...verdict.checks.map(({ name }) => name)];
  throw new ConfigError(`reward.check is ${JSON.stringify(check)}; this environment knows ${known.join(", ")}`, { path: "reward.check", got: check });
}

/**
 * 1 at the end where the verdict, or the named check of it, was passed, else 0; nothing per turn. A failed rollout's verdict
 * is not read and its 0 is never used: credit leaves it out.
 * @throws ConfigError for a check that the environment does not make.
 */
export const verifiable: RewardEntry<typeof schema> = {
  id: "verifiable",
  title: "Verifiable",
  trust: "verifiable",
  needs: [],
  schema,
  defaults: { check: "success" },
};

export const score: Score<typeof schema> = (groups, { check }) =>
  groups.map(({ members }) =>
    members.map((member): TurnRewards => ({
      perTurn: new Float32Array(member.trajectory.turns.length),
      terminal: passed(member, check) ? 1 : 0,
    })),
  );
