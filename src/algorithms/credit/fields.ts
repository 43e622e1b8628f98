import { booleanField, choiceField, numberField } from "#core/field.ts";

/** Settings that several schemes share. */
export const stdField = choiceField(["population", "sample", "none"], {
  title: "Divide by", help: "Standard deviation of the numbers compared: population (÷ N), sample (÷ (N - 1)), or none.",
});
export const epsField = numberField({ title: "ε", help: "Added to the standard deviation; bounds how far a tiny spread is blown up.", min: 0, max: 1 });
export const gammaField = numberField({ title: "Discount γ", help: "What a reward one turn later is worth; below 1 it pays for finishing early.", min: 0, max: 1 });
export const lambdaField = numberField({ title: "GAE λ", help: "0 trusts the critic alone, 1 the rewards alone.", min: 0, max: 1 });
export const whitenField = booleanField({ title: "Whiten", help: "Centre and divide by the deviation over the whole batch." });
export const omegaField = numberField({ title: "Step weight ω", help: "Times the step's advantage, added to the trajectory's.", min: 0, max: 10 });
export const centringField = choiceField(["perTurnIndex", "pooled", "none"], {
  title: "Baseline",
  help: "Mean return-to-go of the trajectories still running at this turn index, of all turns of the group, or none.",
});
