import { lazy, type ComponentType, type LazyExoticComponent } from "react";

interface Page {
  readonly title: string;
  /** Its name in the bar above; absent where it is not there. */
  readonly nav?: string;
  readonly component: LazyExoticComponent<ComponentType>;
}

/** What there is beside the workbench, by its address `#/<name>`, in the order of the bar; loaded when it is first looked at. */
export const PAGES = {
  runs: { title: "Runs", nav: "Runs", component: lazy(() => import("./library/runs.tsx")) },
  compare: { title: "Compare", component: lazy(() => import("./compare/compare.tsx")) },
  player: { title: "Player", component: lazy(() => import("./player/page.tsx")) },
  gallery: { title: "Reward hacking", nav: "Gallery", component: lazy(() => import("./gallery/gallery.tsx")) },
  data: { title: "Real cases", nav: "Cases", component: lazy(() => import("./data/data.tsx")) },
  about: { title: "About", nav: "About", component: lazy(() => import("./about/about.tsx")) },
  level: { title: "A level by hand", component: lazy(() => import("./sokoban/level-page.tsx")) },
} as const satisfies Record<string, Page>;

/** "play" is the workbench. */
export type Route = "play" | keyof typeof PAGES;
