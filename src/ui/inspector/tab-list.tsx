import type { KeyboardEvent } from "react";
import type { Json } from "#core/trajectory.ts";
import type { InspectorTab } from "#store/view-store.ts";
import { useView, useWorkbench } from "../workbench-context.ts";
import { TABS } from "./tabs.ts";

const ORDER: readonly InspectorTab[] = ["turn", "database", "sequence"];

/** What a state is of, by what stands in it: the desk's is a database. */
const stateTitle = (state: Json): string =>
  state === null || typeof state !== "object" ? "State" : "board" in state ? "Board" : "program" in state ? "Program" : TABS.database.title;

interface TabListProps {
  readonly id: string;
  /** The hidden state that the second tab shows. */
  readonly state: Json;
}

/** One tab stop; arrows choose. */
export function TabList({ id, state }: TabListProps) {
  const { view } = useWorkbench();
  const chosen = useView((state) => state.tab);
  const press = (event: KeyboardEvent): void => {
    const next = target(event.key, ORDER.indexOf(chosen));
    if (next === undefined) return;
    event.preventDefault();
    view.openTab(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label="Views of the turn" tabIndex={-1} onKeyDown={press}>
      {ORDER.map((tab) => (
        <button
          key={tab}
          className="tab"
          type="button"
          role="tab"
          id={`${id}-${tab}`}
          aria-selected={tab === chosen}
          aria-controls={`${id}-panel`}
          tabIndex={tab === chosen ? 0 : -1}
          onClick={() => view.openTab(tab)}
        >
          {tab === "database" ? stateTitle(state) : TABS[tab].title}
        </button>
      ))}
    </div>
  );
}

function target(key: string, index: number): InspectorTab | undefined {
  switch (key) {
    case "ArrowRight":
      return ORDER[(index + 1) % ORDER.length];
    case "ArrowLeft":
      return ORDER.at(index - 1);
    case "Home":
      return ORDER[0];
    case "End":
      return ORDER.at(-1);
    default:
      return undefined;
  }
}
