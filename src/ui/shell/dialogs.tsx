import { Suspense, type ComponentType } from "react";
import { useStore } from "zustand";
import { dialogs, type DialogId } from "../dialog.ts";
import { part } from "../part.tsx";

/** Loaded when one is first opened. */
const DIALOGS: Readonly<Record<DialogId, ComponentType>> = {
  share: part(async () => ({ default: (await import("./share-dialog.tsx")).ShareDialog }), "dialog"),
  export: part(async () => ({ default: (await import("../export/export-dialog.tsx")).ExportDialog }), "dialog"),
  keys: part(async () => ({ default: (await import("./keyboard-help.tsx")).KeyboardHelp }), "dialog"),
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
