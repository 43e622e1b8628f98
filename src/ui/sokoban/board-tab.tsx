import { Suspense, useCallback, useState } from "react";
import { readLevel } from "#environments/sokoban/level-reader.ts";
import type { TabProps } from "../inspector/tabs.ts";
import { actionLabel } from "../board/action-label.ts";
import { nameIn } from "../format.ts";
import { BoardPicture } from "./board-picture.tsx";
import { boardLabel, boxPaths, deadOfState, policyPlay, rowsOfState } from "./board-rows.ts";
import { part } from "../part.tsx";

const PlayLevel = part(() => import("./play-level.tsx"));

/** The board after the turn, large: ways of the boxes so far, and the squares that no box comes home from. */
export default function BoardTab({ entry, selection, selected: { member, turn } }: TabProps) {
  const [showsDead, setShowsDead] = useState(false);
  const [plays, setPlays] = useState(false);
  // Only the switch moves the focus: who walks on to another level keeps it where it is.
  const [takesFocus, setTakesFocus] = useState(false);
  const focused = useCallback(() => setTakesFocus(false), []);
  const states = [member.stateBefore, ...member.turns.slice(0, selection.turn + 1).map(({ stateAfter }) => stateAfter)];
  const rows = rowsOfState(turn.stateAfter) ?? [];
  const before = rowsOfState(states.at(-2) ?? null) ?? [];
  const first = rowsOfState(member.stateBefore) ?? [];
  const paths = boxPaths(states);
  const dead = deadOfState(turn.stateAfter);
  return (
    <>
      <p className="diff-summary">
        <b>{changeText(before.join(""), rows.join(""), actionLabel(turn.action).verb.toLowerCase())}</b> The policy sees the same board, as tokens.
      </p>
      {plays ? (
        <Suspense>
          <PlayLevel key={first.join("")} level={readLevel(first)} policy={policyPlay(member, nameIn(entry, selection.member))} showsDead={showsDead} takesFocus={takesFocus} onFocused={focused} />
        </Suspense>
      ) : (
        <BoardPicture rows={rows} label={boardLabel(rows)} paths={paths} dead={showsDead ? dead : undefined} />
      )}
      <div className="switch">
        <label htmlFor="sokoban-plays">Play this level yourself</label>
        <input id="sokoban-plays" type="checkbox" role="switch" checked={plays} onChange={(event) => {
          setPlays(event.target.checked);
          setTakesFocus(event.target.checked);
        }} />
      </div>
      <div className="switch">
        <label htmlFor="sokoban-dead">Dead squares</label>
        <input id="sokoban-dead" type="checkbox" role="switch" checked={showsDead} onChange={(event) => setShowsDead(event.target.checked)} />
      </div>
      <p className="sokoban-note">
        {dead.length === 0 ? "No square is dead: " : `${dead.length} squares are dead: `}a box that stands on a dead square can never be pushed to a goal.
        {paths.length > 0 && !plays && " The lines show where boxes have been."}
      </p>
    </>
  );
}

const boxes = (text: string): string => text.replaceAll(/[@+]/g, " ").replaceAll(/[.#]/g, " ").replaceAll("*", "$");
const home = (text: string): number => text.split("*").length - 1;

function changeText(before: string, after: string, verb: string): string {
  if (before === after) return "Nothing moved: something is in the way.";
  if (boxes(before) === boxes(after)) return `The player stepped ${verb}.`;
  const gained = home(after) - home(before);
  return `A box was pushed ${verb}${gained > 0 ? ", onto a goal" : gained < 0 ? ", off its goal" : ""}.`;
}
