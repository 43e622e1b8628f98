import { parseRunConfig, PRESETS, rangeAt, setPath, type PresetId, type RunConfig } from "#run/run-config.ts";
import { isRecipe, RECIPE_IDS, withRecipe } from "#run/recipe.ts";
import { UsageError } from "./usage-error.ts";

const isPreset = (name: string): name is PresetId => Object.hasOwn(PRESETS, name);

export function presetOf(name: string | undefined): RunConfig {
  if (name !== undefined && isPreset(name)) return PRESETS[name];
  throw new UsageError(`--preset is ${name === undefined ? "missing" : JSON.stringify(name)}; the presets are ${Object.keys(PRESETS).join(", ")}`);
}

/** @throws UsageError unless `text` is a whole number from `least` to `most`. */
export function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) throw new UsageError(`--${option} is ${JSON.stringify(text)}; allowed are whole numbers from ${least} to ${most}`);
  return value;
}

/** The same, in the range of a setting. */
export function inRangeOf(path: string, option: string, text: string): number {
  const { min, max } = rangeAt(path);
  return wholeNumber(option, text, min, max);
}

export function oneOfWords<const T extends string>(option: string, text: string, words: readonly T[]): T {
  const found = words.find((word) => word === text);
  if (found === undefined) throw new UsageError(`--${option} is ${JSON.stringify(text)}; allowed are ${words.join(", ")}`);
  return found;
}

/** @throws UsageError when there is no such recipe. */
export function underRecipe(config: RunConfig, recipe: string | undefined): RunConfig {
  if (recipe === undefined) return config;
  if (!isRecipe(recipe)) throw new UsageError(`--recipe is ${JSON.stringify(recipe)}; the recipes are ${RECIPE_IDS.join(", ")}`);
  return withRecipe(config, recipe);
}

/** A preset with `--set path=value` applied in order; checked as a whole at the end. */
export function configured(base: RunConfig, settings: readonly string[]): RunConfig {
  let config = base;
  for (const setting of settings) {
    const equals = setting.indexOf("=");
    if (equals < 1) throw new UsageError(`--set ${JSON.stringify(setting)} is not of the form path=value`);
    config = setPath(config, setting.slice(0, equals), setting.slice(equals + 1));
  }
  return parseRunConfig(config);
}
