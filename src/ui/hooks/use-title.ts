import { useEffect } from "react";
import { PAGES, type Route } from "../pages.ts";
import { useRun } from "../workbench-context.ts";

const titleOf = (route: Route): string => (route === "play" ? "Turnwise" : `${PAGES[route].title} – Turnwise`);

/** A tab that nobody looks at says whether its run waits. */
export function useTitle(route: Route): void {
  const isPaused = useRun("transport", (run) => run.status === "paused");
  useEffect(() => {
    document.title = `${isPaused ? "❚❚ " : ""}${titleOf(route)}`;
  }, [route, isPaused]);
}
