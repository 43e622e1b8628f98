import { useEffect } from "react";
import type { Route } from "../route.ts";
import { useRun } from "../workbench-context.ts";

const TITLES: Readonly<Record<Route, string>> = {
  play: "Turnwise", runs: "Runs – Turnwise", compare: "Compare – Turnwise", player: "Player – Turnwise", gallery: "Reward hacking – Turnwise", data: "Real cases – Turnwise", about: "About Turnwise", level: "A level by hand – Turnwise",
};

/** A tab that nobody looks at says whether its run waits. */
export function useTitle(route: Route): void {
  const isPaused = useRun("transport", (run) => run.status === "paused");
  useEffect(() => {
    document.title = `${isPaused ? "❚❚ " : ""}${TITLES[route]}`;
  }, [route, isPaused]);
}
