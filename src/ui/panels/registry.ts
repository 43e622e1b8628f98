import type { ComponentType } from "react";
import type { RegionId } from "#store/view-store.ts";
import type { IconName } from "../icon.tsx";
import { BoardPanel } from "./board.tsx";
import { part } from "../part.tsx";

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

/**
 * In a region, panels stand in this order. What the first question is not about is loaded behind it: until then its markup, which the page
 * was built with, stands in its place.
 */
export const PANELS = {
  recipe: { region: "recipe", component: part(async () => ({ default: (await import("./recipe.tsx")).RecipePanel })) },
  board: { region: "credit", component: BoardPanel },
  success: { region: "curves", component: part(async () => ({ default: (await import("./success.tsx")).SuccessPanel })) },
  reliability: { region: "curves", component: part(async () => ({ default: (await import("./reliability.tsx")).ReliabilityPanel })) },
  signal: { region: "curves", component: part(async () => ({ default: (await import("./signal.tsx")).SignalPanel })) },
  inspector: { region: "why", component: part(async () => ({ default: (await import("./inspector.tsx")).InspectorPanel })) },
} as const satisfies Record<string, PanelEntry>;
