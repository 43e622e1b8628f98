import { useLayoutEffect, useRef } from "react";
import type { RegionId } from "#store/view-store.ts";

/** One region at a time, below each other in one page. */
const ONE_COLUMN = "(width < 1180px)";

/** Where regions share the page's scroll, each is left and found again where it was read; one that is new begins at its top. */
export function useRegionScroll(region: RegionId): void {
  const places = useRef(new Map<RegionId, number>());
  const last = useRef(region);
  useLayoutEffect(() => {
    if (last.current === region) return;
    last.current = region;
    if (matchMedia(ONE_COLUMN).matches) scrollTo(0, places.current.get(region) ?? 0);
  }, [region]);
  // The page's own, told as it happens: once a region has gone the page is already at another place.
  useLayoutEffect(() => {
    const note = (): void => void places.current.set(last.current, scrollY);
    addEventListener("scroll", note, { passive: true });
    return () => removeEventListener("scroll", note);
  }, []);
}
