import { lazy, Suspense, useState } from "react";
import { useShortcuts } from "./hooks/use-shortcuts.ts";
import { useTitle } from "./hooks/use-title.ts";
import { Hatch } from "./icon.tsx";
import { useRoute } from "./route.ts";
import { Dialogs } from "./shell/dialogs.tsx";
import { Play } from "./shell/play.tsx";
import { TabBar } from "./shell/tab-bar.tsx";
import { TopBar } from "./shell/top-bar.tsx";
import { Spoken, Transport } from "./shell/transport.tsx";

const PAGES = {
  about: lazy(() => import("./about/about.tsx")),
  compare: lazy(() => import("./compare/compare.tsx")),
  gallery: lazy(() => import("./gallery/gallery.tsx")),
  data: lazy(() => import("./data/data.tsx")),
  level: lazy(() => import("./sokoban/level-page.tsx")),
  player: lazy(() => import("./player/page.tsx")),
  runs: lazy(() => import("./library/runs.tsx")),
} as const;

export function App() {
  const route = useRoute();
  const Page = route === "play" ? null : PAGES[route];
  const [recipeOpen, setRecipeOpen] = useState(false);
  useShortcuts(route === "play");
  useTitle(route);
  return (
    <div className={route === "play" ? "app has-tabs" : "app"}>
      <Hatch />
      <button className="skip" type="button" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the main part
      </button>
      <TopBar route={route} recipeOpen={recipeOpen} onToggleRecipe={() => setRecipeOpen(!recipeOpen)} />
      {Page === null ? (
        <Play recipeOpen={recipeOpen} />
      ) : (
        <Suspense fallback={<main className="about" aria-busy="true" />}>
          <Page />
        </Suspense>
      )}
      <Transport />
      {route === "play" && <TabBar />}
      <Spoken />
      <Dialogs />
    </div>
  );
}
