import { lazy, Suspense, type ComponentType } from "react";
import { useStore } from "zustand";
import { dialogs, type DialogId } from "../dialog.ts";

/** Loaded when one is first opened. */
const DIALOGS: Readonly<Record<DialogId, ComponentType>> = {
  share: lazy(async () => ({ default: (await import("./share-dialog.tsx")).ShareDialog })),
  export: lazy(async () => ({ default: (await import("../export/export-dialog.tsx")).ExportDialog })),
  keys: lazy(async () => ({ default: (await import("./keyboard-help.tsx")).KeyboardHelp })),
};

export function Dialogs() {
  const open = useStore(dialogs, (state) => state.open);
  if (open === null) return null;
  const Dialog = DIALOGS[open];
  return (
    <Suspense>
      <Dialog />
    </Suspense>
  );
}
