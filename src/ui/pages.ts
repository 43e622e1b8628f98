import type { ComponentType, LazyExoticComponent } from "react";
import { part } from "./part.tsx";

interface Page {
  readonly title: string;
  /** Its name in the bar above; absent where it is not there. */
  readonly nav?: string;
  readonly component: LazyExoticComponent<ComponentType>;
}

/** What there is beside the workbench, by its address `#/<name>`, in the order of the bar; loaded when it is first looked at. */
export const PAGES = {
  runs: { title: "Runs", nav: "Runs", component: part(() => import("./library/runs.tsx"), "page") },
  compare: { title: "Compare", component: part(() => import("./compare/compare.tsx"), "page") },
  player: { title: "Player", component: part(() => import("./player/page.tsx"), "page") },
  gallery: { title: "Reward hacking", nav: "Gallery", component: part(() => import("./gallery/gallery.tsx"), "page") },
  data: { title: "Real cases", nav: "Cases", component: part(() => import("./data/data.tsx"), "page") },
  about: { title: "About", nav: "About", component: part(() => import("./about/about.tsx"), "page") },
  level: { title: "A level by hand", component: part(() => import("./sokoban/level-page.tsx"), "page") },
} as const satisfies Record<string, Page>;

/** "play" is the workbench. */
export type Route = "play" | keyof typeof PAGES;
