import type { RegionId } from "#store/view-store.ts";
import { PANELS } from "../panels/registry.ts";
import { useView } from "../workbench-context.ts";
import { Notices } from "./notices.tsx";

const inRegion = (region: RegionId) =>
  Object.entries(PANELS).flatMap(([id, panel]) => (panel.region === region ? [<panel.component key={id} />] : []));

/** The workbench: recipe, credit board with curves below, inspector. */
export function Play({ recipeOpen }: { readonly recipeOpen: boolean }) {
  const shown = useView((view) => view.region);
  const region = (id: RegionId) => ({ "data-tab": id, "data-shown": shown === id ? "" : undefined });
  return (
    <div className="workbench">
      <aside className={recipeOpen ? "recipe is-open" : "recipe"} id="recipe" aria-label="Recipe" {...region("recipe")}>
        {inRegion("recipe")}
      </aside>
      <main id="main" tabIndex={-1}>
        <h1 className="vh">Turnwise: which turn deserves the credit?</h1>
        <div className="region" {...region("credit")}>
          {inRegion("credit")}
        </div>
        <section className="curves" aria-label="Curves" {...region("curves")}>
          {inRegion("curves")}
        </section>
        <Notices />
      </main>
      <aside className="why panel" aria-label="Inspector" {...region("why")}>
        {inRegion("why")}
      </aside>
    </div>
  );
}
