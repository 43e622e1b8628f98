import { useMemo, useState } from "react";
import { TaskError } from "#core/errors.ts";
import { rowsOf, type Level } from "#environments/sokoban/board.ts";
import { useFragment } from "../route.ts";
import { useDraft } from "../workbench-context.ts";
import { levelOfLink } from "./level-link.ts";
import { roomOf } from "./own-room.ts";
import PlayLevel from "./play-level.tsx";
import "./sokoban.css";

function read(fragment: string): { readonly level: Level | null; readonly fault: string | null } {
  try {
    return { level: levelOfLink(fragment), fault: null };
  } catch (error) {
    if (!(error instanceof TaskError)) throw error;
    return { level: null, fault: error.message };
  }
}

/** A level that a link names, a drawn one where it names none, or one that is brought, on a page of its own. */
export default function LevelPage() {
  const fragment = useFragment();
  const preset = useDraft(({ config }) => config.preset);
  const [room, setRoom] = useState(1);
  const { level: named, fault } = useMemo(() => read(fragment), [fragment]);
  const isDrawn = named === null && fault === null;
  const level = useMemo(() => (isDrawn ? roomOf(preset, room) : named), [isDrawn, preset, room, named]);
  const drawAnother = (): void => {
    if (isDrawn) setRoom(room + 1);
    else location.hash = "#/level";
  };
  const [showsDead, setShowsDead] = useState(false);
  return (
    <main className="sokoban-page" id="main" tabIndex={-1}>
      <h1>A level by hand</h1>
      <p>
        Sokoban: push every box onto a goal, with the arrow keys or the buttons. What you play can be added to the demonstrations that a policy imitates.
      </p>
      {fault !== null && (
        <p className="sokoban-fault" role="alert">
          The level in the link is refused: {fault}.
        </p>
      )}
      <div className="sokoban-draw">
        <button className="btn btn-sm" type="button" onClick={drawAnother}>
          {isDrawn ? "Another level" : "A drawn level"}
        </button>
        <a href="#/play">Train a policy</a>
      </div>
      <PlayLevel key={level === null ? "none" : rowsOf(level).join("|")} level={level} policy={null} showsDead={showsDead} takesFocus />
      <div className="switch">
        <label htmlFor="sokoban-dead">Dead squares</label>
        <input id="sokoban-dead" type="checkbox" role="switch" checked={showsDead} onChange={(event) => setShowsDead(event.target.checked)} />
      </div>
    </main>
  );
}
