import * as v from "valibot";
import { choiceField } from "#core/field.ts";
import { returnOf } from "#algorithms/returns.ts";
import type { Assign, CreditEntry } from "./entry.ts";
import { epsField, stdField } from "./fields.ts";
import { groupAdvantage } from "./flat.ts";
import { creditBatch, perTrajectory } from "./scorable.ts";

const schema = v.strictObject({
  baseline: choiceField(["mean", "none"], { title: "Baseline", help: "Mean return of the whole batch, or none: then every success pays and no failure costs." }),
  std: stdField,
  eps: epsField,
});

export interface BatchBaseline {
  readonly baseline: "none" | "mean" | "moving";
  /** Read with "mean" alone, as is `eps`. */
  readonly std: v.InferOutput<typeof schema>["std"];
  readonly eps: number;
  /** Read with "moving" alone: b before the first reward, and what of b is kept after each. */
  readonly movingStart: number | null;
  readonly movingDecay: number | null;
}

/** A_i = R_i - b, b read before it moves: b ← decay·b + (1 - decay)·R_i. */
function movingAdvantage(rewards: readonly number[], start: number, decay: number): { advantages: number[]; movingEnd: number } {
  let baseline = start;
  const advantages = rewards.map((reward) => {
    const advantage = reward - baseline;
    baseline = decay * baseline + (1 - decay) * reward;
    return advantage;
  });
  return { advantages, movingEnd: baseline };
}

/**
 * none: R. mean: (R - batch mean)/(std + eps, or 1 without std), 0 for a constant batch. moving: R - a running mean of those before.
 * @param rewards in order of arrival.
 * @throws RangeError when "moving" has no start or decay.
 * Source: REINFORCE, Williams (1992), section 6; the moving form as in prime-rl's RAE; algorithms.md, section 1.1.
 */
export function batchBaselineAdvantage(
  rewards: readonly number[], { baseline, std, eps, movingStart, movingDecay }: BatchBaseline,
): { readonly advantages: readonly number[]; readonly movingEnd: number | null } {
  if (baseline === "none") return { advantages: rewards, movingEnd: null };
  if (baseline === "mean") return { advantages: groupAdvantage(rewards, { std, eps, leaveOneOut: false }), movingEnd: null };
  if (movingStart === null || movingDecay === null) throw new RangeError(`a moving baseline needs a start and a decay, got ${movingStart} and ${movingDecay}`);
  return movingAdvantage(rewards, movingStart, movingDecay);
}

/** Every turn gets its trajectory's return against the batch. The moving form is left out: it would have to outlive an update. */
export const reinforce: CreditEntry<typeof schema> = {
  id: "reinforce",
  title: "REINFORCE (batch baseline)",
  needs: [],
  schema,
  defaults: { baseline: "mean", std: "none", eps: 1e-4 },
};

export const assign: Assign<typeof schema> = (groups, config) =>
  creditBatch(groups, (placed) => {
    const returns = placed.map(({ member }) => returnOf(member) as number);
    const { advantages } = batchBaselineAdvantage(returns, { ...config, movingStart: null, movingDecay: null });
    return placed.map(({ member }, index) => perTrajectory(member, advantages[index] as number));
  });
