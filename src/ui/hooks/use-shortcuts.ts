import { useLayoutEffect } from "react";
import type { Workbench } from "#store/workbench.ts";
import { openDialog } from "../dialog.ts";
import { settings } from "../settings.ts";
import { useWorkbench } from "../workbench-context.ts";
import { boardCommand } from "./board-keys.ts";
import { cycleRegions, focusInspector, focusTurn } from "./regions.ts";

const TYPING = "input:not([type=checkbox], [type=radio], [type=range]), select, textarea, [contenteditable]";
/** Keys that are a control's own belong to it where it has focus. */
const PRESSABLE = "button, a, summary, label, select, input, [role=switch]";
const ARROWED = "[role=grid], [role=tablist], [role=slider], [role=radiogroup], select, input, .table-box";

interface Press {
  readonly key: string;
  readonly code: string;
  readonly isShift: boolean;
  readonly target: Element;
}

/** What a press does in the workbench; null for what is left to the page and the browser. */
function commandOf({ key, code, isShift, target }: Press, workbench: Workbench): (() => void) | null {
  const { controller, scrubber, view, walk, run } = workbench;
  const { selection } = view.getState();
  const onControl = target.closest(PRESSABLE) !== null;
  switch (key) {
    case " ":
      return onControl ? null : walk.run;
    case ".":
      return walk.forward;
    case ",":
      return () => scrubber.by(-1);
    case "l":
      return view.follow;
    case "r":
      return controller.reset;
    case "R":
      return workbench.links.getState().locks.includes("seed") ? null : controller.newSeed;
    case "j":
      return () => walkedFromBoard(() => walk.member(1), view);
    case "k":
      return () => walkedFromBoard(() => walk.member(-1), view);
    case "ArrowLeft":
      return selection === null || target.closest(ARROWED) !== null ? null : () => walk.turn(-1);
    case "ArrowRight":
      return selection === null || target.closest(ARROWED) !== null ? null : () => walk.turn(1);
    case "Enter":
      return selection === null || onControl ? null : () => openInspector(view);
    case "s":
      return () => openDialog("share");
    case "?":
      return () => openDialog("keys");
    case "Escape":
      if (target.closest(".futures") !== null) return workbench.forks.close;
      return backOf(target, view, run.transport.getState().groups.length > 0);
    default:
      // With Shift these two are other characters, and other ones on other keyboards.
      if (isShift && code === "Period") return () => scrubber.by(10);
      return isShift && code === "Comma" ? () => scrubber.by(-10) : boardCommand(key, workbench);
  }
}

/** Where the board has the focus it goes along with what is chosen. */
function walkedFromBoard(walk: () => void, view: Workbench["view"]): void {
  const isOnBoard = document.activeElement?.closest("[role=grid]") !== null;
  walk();
  const { selection } = view.getState();
  if (isOnBoard && selection !== null) focusTurn(selection);
}

function openInspector(view: Workbench["view"]): void {
  view.show("why");
  focusInspector();
}

/** The first that applies: a notice is put away, the inspector goes back to its turn, the board to the newest update. */
function backOf(target: Element, view: Workbench["view"], hasRun: boolean): (() => void) | null {
  if (document.querySelector(":popover-open") !== null) return null;
  const notice = document.querySelector<HTMLElement>(".notices [data-dismiss]");
  if (notice !== null) return () => notice.click();
  const { selection, at, region } = view.getState();
  if (selection !== null && (region === "why" || target.closest(".why") !== null))
    return () => {
      view.show("credit");
      focusTurn(selection);
    };
  return at !== null && hasRun ? view.follow : null;
}

/** Keys of the workbench; each does what a button does as well. Off in fields, under dialogs, and altogether by a setting. */
export function useShortcuts(active: boolean): void {
  const workbench = useWorkbench();
  // There as soon as the page is, not after what else is drawn first.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const target = event.target instanceof Element ? event.target : document.body;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || target.closest("dialog") !== null) return;
      if (event.key === "F6") {
        event.preventDefault();
        cycleRegions(event.shiftKey ? -1 : 1);
        return;
      }
      const isWorkbench = active && target.closest(TYPING) === null;
      const isFree = event.key === "Escape" || settings.getState().shortcuts;
      const command = isWorkbench && isFree ? commandOf({ key: event.key, code: event.code, isShift: event.shiftKey, target }, workbench) : null;
      if (command === null) return;
      event.preventDefault();
      command();
    };
    // A turn that is opened by its own button: focus follows to what is read.
    const opened = (event: MouseEvent): void => {
      const isKey = event.detail === 0 && event.target instanceof Element;
      if (isKey && event.target.closest("[data-cell], .why-link") !== null) focusInspector();
    };
    addEventListener("keydown", press);
    addEventListener("click", opened);
    return () => {
      removeEventListener("keydown", press);
      removeEventListener("click", opened);
    };
  }, [active, workbench]);
}
