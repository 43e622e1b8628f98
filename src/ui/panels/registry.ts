import type { ComponentType } from "react";
import type { RegionId } from "#store/view-store.ts";
import type { IconName } from "../icon.tsx";
import { BoardPanel } from "./board.tsx";
import { InspectorPanel } from "./inspector.tsx";
import { RecipePanel } from "./recipe.tsx";
import { ReliabilityPanel } from "./reliability.tsx";
import { SignalPanel } from "./signal.tsx";
import { SuccessPanel } from "./success.tsx";

interface RegionEntry {
  readonly title: string;
  readonly icon: IconName;
}

/** Places on the screen; a narrow screen shows one of them at a time, by these tabs in this order. */
export const REGIONS = {
  why: { title: "Story", icon: "why" },
  credit: { title: "Credit", icon: "credit" },
  curves: { title: "Curves", icon: "curves" },
  recipe: { title: "Recipe", icon: "recipe" },
} as const satisfies Record<RegionId, RegionEntry>;

interface PanelEntry {
  readonly region: RegionId;
  readonly component: ComponentType;
}

/** In a region, panels stand in this order. */
export const PANELS = {
  recipe: { region: "recipe", component: RecipePanel },
  board: { region: "credit", component: BoardPanel },
  success: { region: "curves", component: SuccessPanel },
  reliability: { region: "curves", component: ReliabilityPanel },
  signal: { region: "curves", component: SignalPanel },
  inspector: { region: "why", component: InspectorPanel },
} as const satisfies Record<string, PanelEntry>;
