import type { AddressBar } from "#store/link-store.ts";
import { parseRoute } from "./route.ts";

/** Stays with the address through a reload; an address that somebody typed or followed has none. */
const OWN = "own";

export const pageAddress: AddressBar = {
  read: () => location.hash,
  replace: (fragment) => history.replaceState(OWN, "", fragment),
  isOwn: () => history.state === OWN,
  subscribe: (listener) => {
    addEventListener("hashchange", listener);
    return () => removeEventListener("hashchange", listener);
  },
  isPlay: (fragment) => parseRoute(fragment) === "play",
};
