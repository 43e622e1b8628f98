import { memo } from "react";
import type { Observation } from "#core/trajectory.ts";
import { rowsOfObservation } from "./board-rows.ts";
import "./sokoban.css";

/** One path a kind of thing, whatever the size of the board: a chip is drawn with every group that is shown. */
const LAYERS = [
  { characters: "#", className: "thumb-wall", outline: "h1v1h-1z" },
  { characters: ".", className: "thumb-goal", outline: "m.3 .3h.4v.4h-.4z" },
  { characters: "$", className: "thumb-box", outline: "m.1 .1h.8v.8h-.8z" },
  { characters: "*", className: "thumb-home", outline: "m.1 .1h.8v.8h-.8z" },
  { characters: "@+", className: "thumb-player", outline: "m.5 .05l.45 .45l-.45 .45l-.45-.45z" },
] as const;

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly paths: readonly { readonly className: string; readonly d: string }[];
}

/** Without the wall around it. */
function pictureOf(observation: Observation): Picture | null {
  const rows = rowsOfObservation(observation)?.slice(1, -1).map((row) => row.slice(1, -1));
  if (rows === undefined) return null;
  const paths = LAYERS.flatMap(({ characters, className, outline }) => {
    const d = rows.flatMap((row, y) => Array.from(row, (character, x) => (characters.includes(character) ? `M${x} ${y}${outline}` : ""))).join("");
    return d === "" ? [] : [{ className, d }];
  });
  return { width: rows[0]?.length ?? 0, height: rows.length, paths };
}

/** An observed board, as small as a turn's chip; what happened is said beside it. */
export default memo(function BoardThumb({ observation }: { readonly observation: Observation }) {
  const picture = pictureOf(observation);
  if (picture === null) return null;
  const { width, height, paths } = picture;
  return (
    <svg className="board-thumb" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {paths.map(({ className, d }) => (
        <path key={className} className={className} d={d} />
      ))}
    </svg>
  );
});
