import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { DIRECTIONS, isSolved, LETTERS, rowsOf, type Direction, type Level } from "#environments/sokoban/board.ts";
import { deadSquares, isDeadlocked } from "#environments/sokoban/deadlock.ts";
import { move } from "#environments/sokoban/rules.ts";
import { solve } from "#environments/sokoban/solver.ts";
import { Icon } from "../icon.tsx";
import { useDraft } from "../workbench-context.ts";
import { BoardPicture } from "./board-picture.tsx";
import { boardLabel, movesText } from "./board-rows.ts";
import { ComparePlays, type PolicyPlay } from "./compare-plays.tsx";
import { levelLink } from "./level-link.ts";
import { OwnLevel } from "./own-level.tsx";
import { OwnPlays, tooLarge } from "./own-plays.tsx";

interface PlayLevelProps {
  /** Null: one of a person's own is waited for. */
  readonly level: Level | null;
  /** What the policy did on it; null where it did nothing. */
  readonly policy: PolicyPlay | null;
  readonly showsDead: boolean;
  /** The board has the keys at once. */
  readonly takesFocus?: boolean;
  readonly onFocused?: () => void;
}

const KEYS: Readonly<Record<string, Direction>> = { ArrowLeft: "left", ArrowUp: "up", ArrowRight: "right", ArrowDown: "down" };

/** So many states are looked at before the page would be kept waiting. */
const MOST_STATES = 20_000;

/** A person's own attempt: positions from the start on, and the letters that led from each to the next. */
interface Attempt {
  readonly levels: readonly Level[];
  readonly letters: string;
}

/** The level of the attempt that is looked at, or one of a person's own, played by hand. */
export default function PlayLevel({ level, policy, showsDead, takesFocus = false, onFocused }: PlayLevelProps) {
  const [other, setOther] = useState<Level | null>(null);
  // Counted: the same level may be brought again.
  const [brought, setBrought] = useState(0);
  const board = useRef<HTMLButtonElement>(null);
  const start = other ?? level;
  useEffect(() => {
    if (brought > 0) board.current?.focus();
  }, [brought]);
  useEffect(() => {
    if (!takesFocus) return;
    board.current?.focus();
    onFocused?.();
  }, [takesFocus, onFocused]);
  const open = (next: Level, isPlayed: boolean): void => {
    setOther(next);
    if (isPlayed) setBrought((times) => times + 1);
  };
  return (
    <div className="sokoban-play">
      {start !== null && <Played key={rowsOf(start).join("|")} board={board} start={start} policy={other === null ? policy : null} showsDead={showsDead} />}
      <OwnLevel isOpen={start === null} onOpen={open} />
    </div>
  );
}

interface PlayedProps {
  readonly board: RefObject<HTMLButtonElement | null>;
  readonly start: Level;
  readonly policy: PolicyPlay | null;
  readonly showsDead: boolean;
}

function Played({ board, start, policy, showsDead }: PlayedProps) {
  const config = useDraft((state) => state.config);
  const [played, setPlayed] = useState<Attempt>({ levels: [start], letters: "" });
  const [fewest, setFewest] = useState<string | null>(null);
  const now = played.levels.at(-1) ?? start;
  const isOver = isSolved(now);

  const go = (direction: Direction): void => {
    const { level: next, moved, pushed } = move(now, direction);
    if (!moved || isOver) return;
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
  const large = tooLarge(config, start);
  return (
    <>
      {/* Keys belong to the board while it has the focus; each has a button as well. */}
      <button className="sokoban-board" ref={board} type="button" aria-label="Play with the arrow keys, Backspace takes a move back" onKeyDown={press}>
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
        <button className="btn btn-sm" type="button" disabled={played.levels.length === 1} onClick={() => setPlayed({ levels: [start], letters: "" })}>
          Restart
        </button>
        <button className="btn btn-sm" type="button" onClick={() => setFewest(fewestText(start))}>
          Fewest pushes
        </button>
      </div>
      <p className="sokoban-note" role="status">
        {movesText(played.letters)}{isOver ? ": solved." : isDeadlocked(now) ? ": this can no longer be solved." : "."}
        {policy !== null && ` The policy ${policy.success ? "solved it in" : "did not solve it in"} ${policy.letters.length} moves.`}
        {fewest !== null && ` ${fewest}`}
      </p>
      {large !== null && <p className="sokoban-fault">The policy of these settings could not play this level: {large}.</p>}
      {played.letters !== "" && policy === null && <p className="sokoban-letters">{played.letters}</p>}
      {played.letters !== "" && policy !== null && <ComparePlays levels={played.levels} letters={played.letters} policy={policy} />}
      <OwnPlays play={isOver && played.letters !== "" ? { level: start, moves: played.letters } : null} />
      <p className="sokoban-note">
        <a href={levelLink(start)}>Link to this level</a>
      </p>
    </>
  );
}

function fewestText(level: Level): string {
  const found = solve(level, MOST_STATES);
  if (found.kind === "solved") return `The fewest pushes are ${found.pushes}.`;
  return found.kind === "unsolvable" ? "It cannot be solved: the search looked at all there is." : "The search was ended before it found out.";
}
