import type { Visibility } from "#store/paced-store.ts";

/** Nothing is drawn while the page is hidden; the run goes on in its worker. */
export const pageVisibility: Visibility = {
  hidden: () => document.hidden,
  subscribe: (listener) => {
    document.addEventListener("visibilitychange", listener);
    return () => document.removeEventListener("visibilitychange", listener);
  },
};
