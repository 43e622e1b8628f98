import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { RECIPES } from "#algorithms/recipes.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import { RECIPE_IDS, withRecipe } from "#run/recipe.ts";
import { RecipeChoice } from "#ui/panels/recipe-choice.tsx";

const preset = PRESETS["refund-desk"];
const drawn = (config: RunConfig): string => renderToStaticMarkup(<RecipeChoice config={config} explain lock={null} onChoose={() => {}} />);
const chosenIn = (markup: string): readonly (string | undefined)[] => [...markup.matchAll(/<option value="([^"]*)" selected=""/g)].map(([, value]) => value);

test("the algorithm that the settings follow is the one chosen, with its note", () => {
  for (const id of RECIPE_IDS) {
    const markup = drawn(withRecipe(preset, id));
    expect(chosenIn(markup)).toEqual([id]);
    expect(markup).toContain(RECIPES[id].note.slice(0, 16));
    expect(markup.match(/<option/g)).toHaveLength(RECIPE_IDS.length);
  }
});

test("settings that no algorithm has are a mix of one's own", () => {
  const markup = drawn({ ...preset, algorithm: { ...preset.algorithm, clipHigh: 0.5 } });
  expect(chosenIn(markup)).toEqual([""]);
  expect(markup).toContain(">Own mix</option>");
});
