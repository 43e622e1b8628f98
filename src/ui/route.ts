import { useSyncExternalStore } from "react";

export const ROUTES = ["play", "gallery", "data", "about"] as const;
export type Route = (typeof ROUTES)[number];

/** `#/gallery`, `#/data` and `#/about` are pages of their own; everything else is the workbench. */
export function parseRoute(hash: string): Route {
  const name = hash.replace(/^#\//, "").split(/[?/]/)[0];
  return ROUTES.find((route) => route === name) ?? "play";
}

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

export const useRoute = (): Route => parseRoute(useSyncExternalStore(subscribe, () => location.hash, () => ""));
