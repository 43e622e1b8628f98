import { useSyncExternalStore } from "react";
import { PAGES, type Route } from "./pages.ts";

const isPage = (name: string): name is Exclude<Route, "play"> => Object.hasOwn(PAGES, name);

/** All but the workbench, which is everything else, are pages of their own. */
export function parseRoute(hash: string): Route {
  const name = hash.replace(/^#\//, "").split(/[?/]/)[0] ?? "";
  return isPage(name) ? name : "play";
}

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

export const useFragment = (): string => useSyncExternalStore(subscribe, () => location.hash, () => "");

export const useRoute = (): Route => parseRoute(useFragment());
