import type { Observation } from "#core/trajectory.ts";
import { BoardPicture } from "./board-picture.tsx";
import { boardLabel, rowsOfObservation } from "./board-rows.ts";

/** An observed board as a small picture; nothing for what is no board. */
export default function BoardMessage({ observation }: { readonly observation: Observation }) {
  const rows = rowsOfObservation(observation);
  return rows === null ? null : <BoardPicture rows={rows} label={boardLabel(rows)} isSmall />;
}
