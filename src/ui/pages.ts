import { lazy } from "react";

/** What there is beside the workbench, by its address `#/<name>`; loaded when it is first looked at. */
export const PAGES = {
  runs: { title: "Runs", component: lazy(() => import("./library/runs.tsx")) },
  compare: { title: "Compare", component: lazy(() => import("./compare/compare.tsx")) },
  player: { title: "Player", component: lazy(() => import("./player/page.tsx")) },
  gallery: { title: "Reward hacking", component: lazy(() => import("./gallery/gallery.tsx")) },
  data: { title: "Real cases", component: lazy(() => import("./data/data.tsx")) },
  about: { title: "About", component: lazy(() => import("./about/about.tsx")) },
  level: { title: "A level by hand", component: lazy(() => import("./sokoban/level-page.tsx")) },
} as const;

/** "play" is the workbench. */
export type Route = "play" | keyof typeof PAGES;
