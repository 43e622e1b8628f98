import type { ComponentType } from "react";
import type { GroupEntry } from "#store/run-state.ts";
import type { SelectedTurn } from "#store/selectors.ts";
import type { InspectorTab, TurnSelection } from "#store/view-store.ts";
import { TurnTab } from "./turn-tab.tsx";
import { part } from "../part.tsx";

export interface TabProps {
  readonly entry: GroupEntry;
  readonly selection: TurnSelection;
  readonly selected: SelectedTurn;
}

interface TabEntry {
  readonly title: string;
  readonly component: ComponentType<TabProps>;
}

/** Views of one turn, in the order of their tabs. */
export const TABS = {
  turn: { title: "Turn", component: TurnTab },
  database: { title: "Database", component: part(() => import("./database-tab.tsx")) },
  sequence: { title: "Sequence", component: part(() => import("./sequence-tab.tsx")) },
} as const satisfies Record<InspectorTab, TabEntry>;
