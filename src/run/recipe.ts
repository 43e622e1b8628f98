import { RECIPES, type Recipe, type RecipeId } from "#algorithms/recipes.ts";
import { configText, PRESETS, type RunConfig } from "./run-config.ts";

export const RECIPE_IDS = Object.keys(RECIPES) as readonly RecipeId[];

export const isRecipe = (id: string): id is RecipeId => Object.hasOwn(RECIPES, id);

/**
 * A configuration under a recipe. Whatever any recipe sets, this one sets: what it says nothing of (group size, learning rate, reward, …) is
 * the preset's again, so that the order in which recipes are tried makes no difference. Environment, sizes, seed and the rest stay.
 */
export function withRecipe(config: RunConfig, id: RecipeId): RunConfig {
  const { settings, reward, valueHead }: Recipe = RECIPES[id];
  const preset = PRESETS[config.preset];
  const { groupSize, groupsPerUpdate, resampleRounds, learningRate } = preset.algorithm;
  return {
    ...config,
    reward: reward ?? preset.reward,
    algorithm: { ...config.algorithm, groupSize, groupsPerUpdate, resampleRounds, learningRate, ...settings },
    policy: { ...config.policy, valueHead: valueHead === true },
  };
}

/** The recipe that a configuration follows to the letter, null for one that somebody has changed. */
export const recipeOf = (config: RunConfig): RecipeId | null => RECIPE_IDS.find((id) => configText(withRecipe(config, id)) === configText(config)) ?? null;
