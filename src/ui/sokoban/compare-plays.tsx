import { useState } from "react";
import { LETTERS, rowsOf, type Level } from "#environments/sokoban/board.ts";
import { BoardPicture } from "./board-picture.tsx";
import { boardLabel } from "./board-rows.ts";

/** What the policy did on a level: boards from the start on, and the letters that led from each to the next. */
export interface PolicyPlay {
  readonly name: string;
  readonly boards: readonly (readonly string[])[];
  /** "·" for what was no move at all. */
  readonly letters: string;
  readonly success: boolean;
}

/** Index of the first move that differs; undefined where one play is the other's beginning, or the same. */
export function firstDifference(mine: string, theirs: string): number | undefined {
  const [a, b] = [mine.toLowerCase(), theirs.toLowerCase()];
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) if (a[at] !== b[at]) return at;
  return undefined;
}

const NAMES = new Map(Object.entries(LETTERS).map(([direction, letter]) => [letter, direction]));
const nameOf = (letter: string | undefined): string => NAMES.get(letter?.toLowerCase() ?? "") ?? "nowhere";

function differenceText(mine: string, { letters: theirs, name }: PolicyPlay): string {
  const at = firstDifference(mine, theirs);
  if (at !== undefined) {
    const same = at === 0 ? "" : at === 1 ? "The first move is the same. " : `The first ${at} moves are the same. `;
    return `${same}Move ${at + 1} differs: you went ${nameOf(mine[at])}, the policy ${nameOf(theirs[at])}.`;
  }
  if (mine.length === theirs.length) return `You play as the policy did in ${name}.`;
  return mine.length < theirs.length ? `So far you play as the policy did in ${name}.` : `Your first ${theirs.length} moves are the policy’s; there ${name} ended.`;
}

interface ComparePlaysProps {
  readonly levels: readonly Level[];
  readonly letters: string;
  readonly policy: PolicyPlay;
}

/** A person's play beside the policy's on the same level, both after the same number of moves: at first after the first that differs. */
export function ComparePlays({ levels, letters, policy }: ComparePlaysProps) {
  const [chosen, setChosen] = useState<number | null>(null);
  const last = Math.max(letters.length, policy.letters.length);
  const differs = firstDifference(letters, policy.letters);
  const at = Math.min(last, chosen ?? (differs === undefined ? letters.length : differs + 1));
  const mine = levels[Math.min(at, letters.length)];
  const theirs = policy.boards[Math.min(at, policy.letters.length)];
  if (mine === undefined || theirs === undefined) return null;
  return (
    <section className="sokoban-compare" aria-label="Your play beside the policy’s">
      <p role="status">{differenceText(letters, policy)}</p>
      <div className="sokoban-pair">
        <Side name="You" moves={Math.min(at, letters.length)} isOver={at > letters.length} rows={rowsOf(mine)} />
        <Side name={`Policy, ${policy.name}`} moves={Math.min(at, policy.letters.length)} isOver={at > policy.letters.length} rows={theirs} />
      </div>
      <label className="sokoban-at">
        After move {at}
        <input type="range" min={0} max={last} value={at} onChange={(event) => setChosen(Number(event.target.value))} />
      </label>
      <dl className="sokoban-lines">
        <dt>You</dt>
        <dd>
          <Letters of={letters} differs={differs} at={at} />
        </dd>
        <dt>Policy</dt>
        <dd>
          <Letters of={policy.letters} differs={differs} at={at} />
        </dd>
      </dl>
    </section>
  );
}

interface SideProps {
  readonly name: string;
  readonly moves: number;
  readonly isOver: boolean;
  readonly rows: readonly string[];
}

const Side = ({ name, moves, isOver, rows }: SideProps) => (
  <figure>
    <BoardPicture rows={rows} label={`${name}: ${boardLabel(rows)}`} />
    <figcaption>
      {name}, {isOver ? `ended after ${moves}` : `move ${moves}`}
    </figcaption>
  </figure>
);

/** The moves one below the other's: the first that differs is marked, what comes after the move looked at stands back. */
const Letters = ({ of, differs, at }: { readonly of: string; readonly differs: number | undefined; readonly at: number }) => (
  <>
    {Array.from(of, (letter, index) => (
      <span key={index} className={[index === differs ? "is-differing" : "", index >= at ? "is-later" : ""].join(" ")}>
        {letter}
      </span>
    ))}
  </>
);
