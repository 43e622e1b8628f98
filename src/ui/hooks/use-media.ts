import { useCallback, useSyncExternalStore } from "react";

export const PHONE = "(width < 760px)";

/** Null while the page is built and taken over: then both ways are there, and the styles show one of them. */
export function useMedia(query: string): boolean | null {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore<boolean | null>(subscribe, () => matchMedia(query).matches, () => null);
}
