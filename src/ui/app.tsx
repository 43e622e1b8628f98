import { lazy, Suspense, useEffect, useState } from "react";
import { useShortcuts } from "./hooks/use-shortcuts.ts";
import { Hatch } from "./icon.tsx";
import { useRoute } from "./route.ts";
import { Play } from "./shell/play.tsx";
import { TabBar } from "./shell/tab-bar.tsx";
import { TopBar } from "./shell/top-bar.tsx";
import { Spoken, Transport } from "./shell/transport.tsx";

const About = lazy(() => import("./about/about.tsx"));

const TITLES = { play: "Turnwise", about: "About Turnwise" } as const;

export function App() {
  const route = useRoute();
  const [recipeOpen, setRecipeOpen] = useState(false);
  useShortcuts(route === "play");
  useEffect(() => {
    document.title = TITLES[route];
  }, [route]);
  return (
    <div className={route === "play" ? "app has-tabs" : "app"}>
      <Hatch />
      <button className="skip" type="button" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the main part
      </button>
      <TopBar route={route} recipeOpen={recipeOpen} onToggleRecipe={() => setRecipeOpen(!recipeOpen)} />
      {route === "play" ? (
        <Play recipeOpen={recipeOpen} />
      ) : (
        <Suspense fallback={<main className="about" aria-busy="true" />}>
          <About />
        </Suspense>
      )}
      <Transport />
      {route === "play" && <TabBar />}
      <Spoken />
    </div>
  );
}
