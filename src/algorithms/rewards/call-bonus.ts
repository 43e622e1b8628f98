import * as v from "valibot";
import type { TurnRewards } from "#core/credit.ts";
import { booleanField, numberField } from "#core/field.ts";
import type { Turn } from "#core/trajectory.ts";
import type { RewardEntry, Score } from "./entry.ts";
import { checkField, passed } from "./verifiable.ts";

const schema = v.strictObject({
  check: checkField,
  tool: v.pipe(v.string(), v.minLength(1), v.maxLength(60), v.metadata({ title: "Paid tool", help: "Name of the tool whose calls are paid for besides, such as lookup_orders." })),
  bonus: numberField({ title: "Bonus", help: "Paid with the turn for a call that was answered.", min: 0, max: 2 }),
  once: booleanField({ title: "First call only", help: "Whether only the first call of an episode is paid for." }),
});
type CallBonus = v.InferOutput<typeof schema>;

function* bonuses(turns: readonly Turn[], { tool, bonus, once }: CallBonus): Generator<number> {
  let paid = 0;
  for (const { action, observation } of turns) {
    const pays = action.kind === "tool" && action.name === tool && observation.kind !== "error" && !(once && paid > 0);
    if (pays) paid += 1;
    yield pays ? bonus : 0;
  }
}

/**
 * The verdict as `verifiable` pays it, and a bonus for every call of one tool, whether it was of any use. Process rewards of this kind are
 * earned again and again by asking again and again: the reason why sub-goals of `shaped` are paid once (Ng, Harada, Russell 1999, section 2).
 */
export const callBonus: RewardEntry<typeof schema> = {
  id: "call-bonus",
  title: "Bonus for calls",
  trust: "shaped",
  needs: [],
  schema,
  defaults: { check: "success", tool: "lookup_orders", bonus: 0.2, once: false },
};

export const score: Score<typeof schema> = (groups, config) =>
  groups.map(({ members }) => members.map((member): TurnRewards => ({
    perTurn: Float32Array.from(bonuses(member.trajectory.turns, config)),
    terminal: passed(member, config.check) ? 1 : 0,
  })));
