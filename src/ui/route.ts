import { useSyncExternalStore } from "react";

export const ROUTES = ["play", "runs", "compare", "player", "gallery", "data", "about", "level"] as const;
export type Route = (typeof ROUTES)[number];

/** All but the workbench, which is everything else, are pages of their own. */
export function parseRoute(hash: string): Route {
  const name = hash.replace(/^#\//, "").split(/[?/]/)[0];
  return ROUTES.find((route) => route === name) ?? "play";
}

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

export const useFragment = (): string => useSyncExternalStore(subscribe, () => location.hash, () => "");

export const useRoute = (): Route => parseRoute(useFragment());
