import * as v from "valibot";
import { integerField, numberField } from "#core/field.ts";

export const comparedField = v.pipe(
  v.string(), v.minLength(1), v.maxLength(60),
  v.metadata({ title: "Compared by", help: "Which trajectories count as the better ones: success is the strict verdict; any other name is one of the environment's weaker checks." }),
);

/** Of the second network that judges, and what it is fitted to. */
export const judgeFields = {
  practiceGroups: integerField({ title: "Practice groups", help: "Groups of the starting policy that the network is fitted to before the first update.", unit: "groups", min: 0, max: 1024 }),
  comparedUpdates: integerField({
    title: "Compared until", help: "Updates whose trajectories it is fitted to as well; 0 freezes it, as RLHF does: a policy then learns to please it.", unit: "updates", min: 0, max: 5000,
  }),
  networkLearningRate: numberField({ title: "Learning rate of the judge", help: "Of the second network's own AdamW. Found by experiment at this size of network.", min: 0, max: 0.01 }),
  networkSteps: integerField({ title: "Steps of the judge", help: "Optimiser steps in an update; its groups are split into so many parts.", min: 1, max: 16 }),
};
