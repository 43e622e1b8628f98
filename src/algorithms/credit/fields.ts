import { booleanField, choiceField, integerField, numberField } from "#core/field.ts";

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

export const atBudgetField = choiceField(["judged", "bootstrap"], {
  title: "At the turn limit",
  help: "judged: the limit is part of the task, an episode it cuts off is paid by its verdict. bootstrap: the episode would have gone on, and the critic's value stands for the rest, verdict included; then nothing speaks against stalling.",
});

/** Of the second network that a scheme is computed with. Rates of papers are for models of billions of weights; these here were measured. */
export const networkFields = (what: string, when: string) => ({
  networkLearningRate: numberField({ title: `Learning rate of the ${what}`, help: `Of its own AdamW${when}. Found by experiment at this size of network.`, min: 0, max: 0.01 }),
  networkSteps: integerField({ title: `Steps of the ${what}`, help: `Optimiser steps in an update; its groups are split into so many parts${when}.`, min: 1, max: 16 }),
});
