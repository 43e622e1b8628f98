import { Suspense, useLayoutEffect } from "react";
import type { RegionId } from "#store/view-store.ts";
import { useRegionScroll } from "../hooks/use-region-scroll.ts";
import { PANELS } from "../panels/registry.ts";
import { useView, useWorkbench } from "../workbench-context.ts";
import { part } from "../part.tsx";

const Notices = part(async () => ({ default: (await import("./notices.tsx")).Notices }));

const inRegion = (region: RegionId) =>
  Object.entries(PANELS).flatMap(([id, panel]) =>
    panel.region === region
      ? [
          <Suspense key={id}>
            <panel.component />
            {id === "recipe" && <AfterRecipe />}
          </Suspense>,
        ]
      : [],
  );

/** Behind the recipe: where that has not been taken over by now, it could not be loaded, and what was set in its markup is gone. */
function AfterRecipe() {
  const { gate } = useWorkbench();
  useLayoutEffect(() => gate.giveUp("markup"), [gate]);
  return null;
}

/** Made once: what does not change is not looked at again, and markup that waits for its script is left alone. */
const CONTENT = { recipe: inRegion("recipe"), credit: inRegion("credit"), curves: inRegion("curves"), why: inRegion("why") } as const satisfies Record<RegionId, unknown>;
const NOTICES = (
  <Suspense>
    <Notices />
  </Suspense>
);

/** The workbench: recipe, credit board with curves below, inspector. */
export function Play({ recipeOpen }: { readonly recipeOpen: boolean }) {
  const shown = useView((view) => view.region);
  useRegionScroll(shown);
  const { gate } = useWorkbench();
  // Left for another page, what was set before is gone.
  useLayoutEffect(() => () => gate.giveUp("markup"), [gate]);
  const region = (id: RegionId) => ({ "data-tab": id, "data-shown": shown === id ? "" : undefined });
  return (
    <div className="workbench">
      <aside className={recipeOpen ? "recipe is-open" : "recipe"} id="recipe" aria-label="Recipe" {...region("recipe")}>
        {CONTENT.recipe}
      </aside>
      <main id="main" tabIndex={-1}>
        <h1 className="vh">Turnwise: which turn deserves the credit?</h1>
        <div className="region" {...region("credit")}>
          {CONTENT.credit}
        </div>
        <section className="curves" aria-label="Curves" {...region("curves")}>
          {CONTENT.curves}
        </section>
        {NOTICES}
      </main>
      <aside className="why panel" aria-label="Inspector" {...region("why")}>
        {CONTENT.why}
      </aside>
    </div>
  );
}
