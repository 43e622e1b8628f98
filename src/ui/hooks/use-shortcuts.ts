import { useEffect } from "react";
import { settings } from "../settings.ts";
import { useWorkbench } from "../workbench-context.ts";

const TYPING = "input, select, textarea, [contenteditable]";
/** Space belongs to what has focus where that is a control. */
const PRESSABLE = "button, a, summary, [role=switch]";

/** Keys of the workbench; each is also a button. Off in fields, off altogether by a setting. */
export function useShortcuts(active: boolean): void {
  const { controller } = useWorkbench();
  useEffect(() => {
    if (!active) return;
    const press = (event: KeyboardEvent): void => {
      const target = event.target instanceof Element ? event.target : document.body;
      if (!settings.getState().shortcuts || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (target.closest(TYPING) !== null) return;
      const command = commandOf(event.key, target.closest(PRESSABLE) !== null);
      if (command === null) return;
      event.preventDefault();
      controller[command]();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [active, controller]);
}

function commandOf(key: string, onControl: boolean): "toggle" | "step" | "reset" | "newSeed" | null {
  switch (key) {
    case " ":
      return onControl ? null : "toggle";
    case ".":
      return "step";
    case "r":
      return "reset";
    case "R":
      return "newSeed";
    default:
      return null;
  }
}
