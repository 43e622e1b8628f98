import type { AddressBar } from "#store/link-store.ts";
import { parseRoute } from "./route.ts";

export const pageAddress: AddressBar = {
  read: () => location.hash,
  replace: (fragment) => history.replaceState(history.state, "", fragment),
  subscribe: (listener) => {
    addEventListener("hashchange", listener);
    return () => removeEventListener("hashchange", listener);
  },
  isPlay: (fragment) => parseRoute(fragment) === "play",
};
