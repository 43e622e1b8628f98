import { useId } from "react";
import { RECIPES, type Recipe } from "#algorithms/recipes.ts";
import type { RunConfig } from "#run/run-config.ts";
import { isRecipe, RECIPE_IDS, recipeOf, withRecipe } from "#run/recipe.ts";
import { Select } from "../controls/native.tsx";

const OWN: Pick<Recipe, "title" | "note"> = { title: "Own mix", note: "Credit, objective and the rest as set by hand." };

interface RecipeChoiceProps {
  readonly config: RunConfig;
  readonly explain: boolean;
  /** Why it cannot be chosen. */
  readonly lock: string | null;
  readonly onChoose: (config: RunConfig) => void;
}

/** A known algorithm sets credit, objective and what belongs to them at once. */
export function RecipeChoice({ config, explain, lock, onChoose }: RecipeChoiceProps) {
  const id = useId();
  const chosen = recipeOf(config);
  const { note } = chosen === null ? OWN : RECIPES[chosen];
  return (
    <div className="field">
      <label htmlFor={id}>Algorithm</label>
      <Select
        id={id}
        className="select"
        aria-describedby={`${id}-help${lock === null ? "" : ` ${id}-lock`}`}
        disabled={lock !== null}
        value={chosen ?? ""}
        onChange={({ target: { value } }) => {
          if (isRecipe(value)) onChoose(withRecipe(config, value));
        }}
      >
        {chosen === null && <option value="">{OWN.title}</option>}
        {RECIPE_IDS.map((known) => (
          <option key={known} value={known}>
            {RECIPES[known].title}
          </option>
        ))}
      </Select>
      <span className={explain ? "field-help" : "vh"} id={`${id}-help`}>
        {note}
      </span>
      {lock !== null && (
        <span className="field-lock" id={`${id}-lock`}>
          {lock}
        </span>
      )}
    </div>
  );
}
