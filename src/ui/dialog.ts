import { createStore } from "zustand/vanilla";

export type DialogId = "share" | "keys" | "export";

/** Which dialog is open; one at a time. */
export const dialogs = createStore<{ readonly open: DialogId | null }>(() => ({ open: null }));

export const openDialog = (open: DialogId): void => dialogs.setState({ open });
/** A dialog tells that it closed a moment later: by then another may be open. */
export const dialogClosed = (id: DialogId): void => dialogs.setState(({ open }) => ({ open: open === id ? null : open }));
