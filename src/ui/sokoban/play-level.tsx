import { useState, type DragEvent, type KeyboardEvent } from "react";
import { TaskError } from "#core/errors.ts";
import { DIRECTIONS, isSolved, LETTERS, rowsOf, type Direction, type Level } from "#environments/sokoban/board.ts";
import { readCollection } from "#environments/sokoban/collection.ts";
import { deadSquares, isDeadlocked } from "#environments/sokoban/deadlock.ts";
import { move } from "#environments/sokoban/rules.ts";
import { solve } from "#environments/sokoban/solver.ts";
import { Icon } from "../icon.tsx";
import { BoardPicture } from "./board-picture.tsx";
import { boardLabel } from "./board-rows.ts";

interface PlayLevelProps {
  readonly level: Level;
  /** What the policy did on it. */
  readonly attempt: { readonly moves: number; readonly success: boolean };
  readonly showsDead: boolean;
}

const KEYS: Readonly<Record<string, Direction>> = { ArrowLeft: "left", ArrowUp: "up", ArrowRight: "right", ArrowDown: "down" };

/** So many states are looked at before the page would be kept waiting. */
const MOST_STATES = 20_000;
/** Characters of a file that is dropped here. */
const LONGEST_FILE = 2_000_000;

/** A person's own attempt: positions from the start on, and the letters that led from each to the next. */
interface Attempt {
  readonly levels: readonly Level[];
  readonly letters: string;
}

/** The level of the attempt that is looked at, or one of a person's own, played by hand. */
export default function PlayLevel({ level, attempt, showsDead }: PlayLevelProps) {
  const [other, setOther] = useState<Level | null>(null);
  const start = other ?? level;
  const [played, setPlayed] = useState<Attempt>({ levels: [start], letters: "" });
  const [fewest, setFewest] = useState<string | null>(null);
  const now = played.levels.at(-1) ?? start;

  const restart = (from: Level): void => {
    setPlayed({ levels: [from], letters: "" });
    setFewest(null);
  };
  const go = (direction: Direction): void => {
    const { level: next, moved, pushed } = move(now, direction);
    if (!moved || isSolved(now)) return;
    const letter = LETTERS[direction];
    setPlayed({ levels: [...played.levels, next], letters: played.letters + (pushed ? letter.toUpperCase() : letter) });
  };
  const undo = (): void => {
    if (played.levels.length > 1) setPlayed({ levels: played.levels.slice(0, -1), letters: played.letters.slice(0, -1) });
  };
  const press = (event: KeyboardEvent): void => {
    const direction = KEYS[event.key];
    if (direction === undefined && event.key !== "Backspace") return;
    event.preventDefault();
    if (direction === undefined) undo();
    else go(direction);
  };
  const open = (imported: Level): void => {
    setOther(imported);
    restart(imported);
  };
  const pushes = played.letters.replaceAll(/[lurd]/g, "").length;
  return (
    <div className="sokoban-play">
      {/* Keys belong to the board while it has the focus; each has a button as well. */}
      <button className="sokoban-board" type="button" aria-label="Play with the arrow keys, Backspace takes a move back" onKeyDown={press}>
        <BoardPicture rows={rowsOf(now)} label={boardLabel(rowsOf(now))} dead={showsDead ? deadSquares(now.room) : undefined} />
      </button>
      <div className="actions">
        {DIRECTIONS.map((direction) => (
          <button key={direction} className="btn btn-sm btn-icon" type="button" aria-label={`Move ${direction}`} onClick={() => go(direction)}>
            <Icon name={direction} />
          </button>
        ))}
        <button className="btn btn-sm" type="button" disabled={played.levels.length === 1} onClick={undo}>
          Undo
        </button>
        <button className="btn btn-sm" type="button" disabled={played.levels.length === 1} onClick={() => restart(start)}>
          Restart
        </button>
        <button className="btn btn-sm" type="button" onClick={() => setFewest(fewestText(start))}>
          Fewest pushes
        </button>
      </div>
      <p className="sokoban-note" role="status">
        {played.letters.length} moves, {pushes} pushes{isSolved(now) ? ": solved." : isDeadlocked(now) ? ": this can no longer be solved." : "."}
        {other === null && ` The policy ${attempt.success ? "solved it in" : "did not solve it in"} ${attempt.moves} moves.`}
        {fewest !== null && ` ${fewest}`}
      </p>
      {played.letters !== "" && <p className="sokoban-letters">{played.letters}</p>}
      <OwnLevel onOpen={open} />
    </div>
  );
}

function fewestText(level: Level): string {
  const found = solve(level, MOST_STATES);
  if (found.kind === "solved") return `The fewest pushes are ${found.pushes}.`;
  return found.kind === "unsolvable" ? "It cannot be solved: the search looked at all there is." : "The search was ended before it found out.";
}

/** @throws TaskError when the first level of a text is none. */
function firstLevel(text: string): Level {
  const [entry] = readCollection(text);
  if (entry?.level === undefined) throw new TaskError(entry?.refused ?? "there is no level");
  return entry.level;
}

/** A level by paste or drop, with the reason and the line where it is none. */
function OwnLevel({ onOpen }: { readonly onOpen: (level: Level) => void }) {
  const [text, setText] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const read = (given: string): void => {
    try {
      onOpen(firstLevel(given));
      setFault(null);
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      setFault(error.message);
    }
  };
  const drop = (event: DragEvent): void => {
    const file = event.dataTransfer.files[0];
    if (file === undefined) return;
    event.preventDefault();
    if (file.size > LONGEST_FILE) {
      setFault(`${file.name} has ${file.size} bytes; at most ${LONGEST_FILE} are read`);
      return;
    }
    void file.text().then((given) => {
      setText(given);
      read(given);
    });
  };
  return (
    <details>
      <summary>A level of your own</summary>
      <label htmlFor="sokoban-text">Level: # wall, @ player, $ box, . goal; paste it or drop a file</label>
      <textarea id="sokoban-text" className="input" rows={6} value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} onDragOver={(event) => event.preventDefault()} onDrop={drop} />
      <button className="btn btn-sm" type="button" disabled={text.trim() === ""} onClick={() => read(text)}>
        Play it
      </button>
      <p className="sokoban-note" role="alert">
        {fault}
      </p>
    </details>
  );
}
