import type { RegionId } from "#store/view-store.ts";
import { Icon } from "../icon.tsx";
import { REGIONS } from "../panels/registry.ts";
import { useView, useWorkbench } from "../workbench-context.ts";

const ORDER: readonly RegionId[] = ["why", "credit", "curves", "recipe"];

/** Narrow screens: one region at a time. */
export function TabBar() {
  const { view } = useWorkbench();
  const shown = useView(({ region }) => region);
  return (
    <nav className="tabbar" aria-label="Panels">
      {ORDER.map((id) => (
        <button key={id} type="button" aria-current={shown === id ? "true" : undefined} onClick={() => view.show(id)}>
          <Icon name={REGIONS[id].icon} />
          {REGIONS[id].title}
        </button>
      ))}
    </nav>
  );
}
