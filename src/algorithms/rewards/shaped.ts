import * as v from "valibot";
import type { Judged, TurnRewards } from "#core/credit.ts";
import { integerField, numberField } from "#core/field.ts";
import type { RewardEntry, Score } from "./entry.ts";
import { overlongPenalty } from "./overlong.ts";
import { checkField, passed } from "./verifiable.ts";

const schema = v.strictObject({
  check: checkField,
  eventScale: numberField({ title: "Sub-goals", help: "Times the weights that the environment gives to sub-goals and mistakes, paid with the turn.", min: 0, max: 10 }),
  formatPenalty: numberField({ title: "Format penalty", help: "Taken off a turn whose action could not be read.", min: 0, max: 10 }),
  overlongFactor: numberField({ title: "Overlong penalty", help: "Taken off at the end of a trajectory that sampled too many tokens; 0 is off.", min: 0, max: 10 }),
  overlongLength: integerField({ title: "Too long from", help: "Sampled tokens at which the whole penalty is taken.", unit: "tokens", min: 2, max: 1024 }),
  overlongBuffer: integerField({ title: "Grows over", help: "Tokens before that over which the penalty grows.", unit: "tokens", min: 1, max: 1024 }),
});
type Shaped = v.InferOutput<typeof schema>;

function rewardsOf(member: Judged, { check, eventScale, formatPenalty, overlongFactor, overlongLength, overlongBuffer }: Shaped): TurnRewards {
  const { turns } = member.trajectory;
  const sampled = turns.reduce((sum, { start, end }) => sum + end - start, 0);
  const [overlong] = overlongPenalty([sampled], { maxLength: overlongLength, buffer: overlongBuffer, factor: overlongFactor, floored: true });
  return {
    perTurn: Float32Array.from(turns, ({ action, events }) =>
      eventScale * events.reduce((sum, { weight }) => sum + weight, 0) - (action.kind === "malformed" ? formatPenalty : 0)),
    terminal: (passed(member, check) ? 1 : 0) + (overlong as number),
  };
}

/**
 * The verdict as `verifiable` pays it, and besides what turns did: sub-goals and mistakes by their weights, unreadable actions, length.
 * What is paid for beside success may be had without it. Defaults: verl-agent's invalid-action penalty; algorithms.md, section 7.
 */
export const shaped: RewardEntry<typeof schema> = {
  id: "shaped",
  title: "Shaped (sub-goals and format)",
  trust: "shaped",
  needs: [],
  schema,
  defaults: { check: "success", eventScale: 1, formatPenalty: 0.1, overlongFactor: 0, overlongLength: 96, overlongBuffer: 32 },
};

export const score: Score<typeof schema> = (groups, config) => groups.map(({ members }) => members.map((member) => rewardsOf(member, config)));
