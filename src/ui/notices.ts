import { createStore } from "zustand/vanilla";

/** Notices that were read and put away, by what they are about: the same thing is not told twice. */
export const dismissedNotices = createStore<{ readonly about: ReadonlySet<unknown> }>(() => ({ about: new Set() }));

export const dismiss = (about: unknown): void => dismissedNotices.setState(({ about: known }) => ({ about: new Set([...known, about]) }));
