import type { Action, Json, Observation } from "#core/trajectory.ts";
import { words } from "../format.ts";
import type { IconName } from "../icon.tsx";

export interface ActionLabel {
  readonly verb: string;
  readonly argument: string;
  readonly icon: IconName;
  /** Stands for the verb where there is little room. */
  readonly sign?: string;
}

/** Short verbs of tools that are known; any other tool is called by its name. */
const TOOLS: Readonly<Record<string, { readonly verb: string; readonly icon: IconName; readonly sign?: string }>> = {
  lookup_orders: { verb: "Look up", icon: "lookup" },
  check_ship_date: { verb: "Check", icon: "check" },
  ask_customer: { verb: "Ask", icon: "ask" },
  refund: { verb: "Refund", icon: "refund" },
  deny: { verb: "Deny", icon: "deny" },
  finish: { verb: "Finish", icon: "confirm" },
  left: { verb: "Left", icon: "left", sign: "←" },
  up: { verb: "Up", icon: "up", sign: "↑" },
  right: { verb: "Right", icon: "right", sign: "→" },
  down: { verb: "Down", icon: "down", sign: "↓" },
  // What is put where says enough on a small chip.
  edit: { verb: "Edit", icon: "tool", sign: "" },
};

export function actionLabel(action: Action): ActionLabel {
  switch (action.kind) {
    case "tool": {
      const known = TOOLS[action.name] ?? { verb: words(action.name), icon: "tool" };
      return { ...known, argument: Object.values(action.args).map(jsonText).join(" ") };
    }
    case "reply":
      return { verb: "Reply", argument: "", icon: "reply" };
    case "malformed":
      return { verb: "Malformed", argument: "", icon: "warning" };
    default:
      return action satisfies never;
  }
}

export const labelText = ({ verb, argument }: ActionLabel): string => (argument === "" ? verb : `${verb} ${argument}`);

/** Every leaf, in order. */
function jsonText(value: Json): string {
  if (value === null) return "none";
  if (Array.isArray(value)) return value.map(jsonText).join(", ");
  return typeof value === "object" ? Object.values(value).map(jsonText).join(" ") : String(value);
}

/** Cells are better drawn than told: what counts is how many boxes are home. */
function boardText(cells: readonly Json[]): string {
  const home = cells.filter((cell) => cell === "box-on-goal").length;
  const boxes = home + cells.filter((cell) => cell === "box").length;
  return `${home} of ${boxes} ${boxes === 1 ? "box" : "boxes"} home`;
}

/** Without its own name, or the start of it, in front: "got 3" under "got" is 3, "in 5" under "input" 5. */
function textUnder(name: string, value: Json): string {
  const text = jsonText(value);
  const [first = "", ...rest] = text.split(" ");
  return rest.length > 0 && first.length > 1 && name.startsWith(first) ? rest.join(" ") : text;
}

/** An observation as lines of name and text. */
export function observationLines({ kind, content }: Observation): readonly (readonly [string, string])[] {
  if (kind === "board" && Array.isArray(content)) return [["Board", boardText(content.flat())]];
  if (content !== null && typeof content === "object" && !Array.isArray(content)) {
    const lines = Object.entries(content).map(([name, value]: [string, Json]) => [words(name), textUnder(name, value)] as const);
    return lines.length === 0 ? [[words(kind), ""]] : lines;
  }
  return [[words(kind), jsonText(content)]];
}

/** The same on one line. */
export const observationText = (observation: Observation): string =>
  observationLines(observation).map(([name, text]) => (text === "" ? name.toLowerCase() : `${name.toLowerCase()}: ${text}`)).join(", ");
