import { useStore } from "zustand";
import { compareAddress } from "#store/compare/compare-choice.ts";
import { FEWEST_COMPARED, MOST_COMPARED } from "#store/compare/entry.ts";
import { choice } from "./library.ts";
import "../styles/compare-choice.css";

interface ComparePickProps {
  /** Of the run, or of all that are one entry: whichever of them was chosen stands for it. */
  readonly names: readonly string[];
  readonly title: string;
}

/** Takes an entry of the list into the comparison, or out of it. */
export function ComparePick({ names, title }: ComparePickProps) {
  const chosen = useStore(choice, (state) => state.names);
  const isChosen = names.some((name) => chosen.includes(name));
  return (
    <label className="compare-pick">
      <input type="checkbox" checked={isChosen} disabled={!isChosen && chosen.length >= MOST_COMPARED} onChange={() => choice.toggle(names)} aria-label={`Compare ${title}`} />
      Compare
    </label>
  );
}

/** Where the choice leads, once it is two to four; and whether runs that differ by seed only are one. */
export function CompareBar() {
  const chosen = useStore(choice);
  const { names, isBySeedless } = chosen;
  const isEnough = names.length >= FEWEST_COMPARED;
  return (
    <div className="compare-bar">
      <label className="compare-pick">
        <input type="checkbox" checked={isBySeedless} onChange={({ target }) => choice.together(target.checked)} />
        Seeds of the same settings together
      </label>
      <span className="note" role="status">
        {names.length === 0 ? `Choose ${FEWEST_COMPARED} to ${MOST_COMPARED} to compare.` : `${names.length} of at most ${MOST_COMPARED} chosen.`}
      </span>
      {names.length > 0 && (
        <button className="btn btn-quiet" type="button" onClick={choice.clear}>
          Choose none
        </button>
      )}
      {isEnough ? (
        <a className="btn btn-primary" href={compareAddress(chosen)}>
          Compare {names.length} runs
        </a>
      ) : (
        <button className="btn" type="button" disabled>
          Compare
        </button>
      )}
    </div>
  );
}
