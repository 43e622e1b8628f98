import type { HARNESSES, LatestObservationConfig, ToolLoopConfig } from "./registry.ts";

/** How much there is to write of a board. */
export interface BoardSize {
  readonly cells: number;
  /** Cells that do not hold the board's commonest word. */
  readonly marked: number;
  /** Tokens of the longest action, its end token included. */
  readonly action: number;
}

type HarnessSettings = ({ readonly id: "tool-loop" } & ToolLoopConfig) | ({ readonly id: "latest-observation" } & LatestObservationConfig);

/**
 * Tokens of the context that a policy needs to act on boards of that size: with the latest observations all of them, with the whole
 * history the first. A test holds it to what the harnesses write.
 */
export function boardTokens(harness: HarnessSettings & { readonly id: keyof typeof HARNESSES }, { cells, marked, action }: BoardSize): number {
  const [shown, isPlaces] = harness.id === "latest-observation" ? [harness.observations, harness.grid === "coordinates"] : [1, false];
  const board = isPlaces ? 1 + 2 * marked : cells;
  // <begin> <system> board <assistant> and an action; before it action, marker, board, <assistant> of each board more.
  return 2 + board + 1 + action + (shown - 1) * (action + 1 + board + 1);
}
