import { useEffect, useEffectEvent, useState } from "react";
import { TaskError } from "#core/errors.ts";
import type { Level } from "#environments/sokoban/board.ts";
import { readCollection } from "#environments/sokoban/collection.ts";
import { acceptFiles } from "../accept-files.ts";
import { FileButton } from "../controls/file-button.tsx";

/** Characters of a file that is dropped here. */
const LONGEST_FILE = 2_000_000;
const FILES = ".txt,.sok,.xsb,.sokoban,text/plain";

interface OwnLevelProps {
  readonly isOpen?: boolean;
  /** @param isPlayed whether it is to have the keys: not while one is being looked for in a list */
  readonly onOpen: (level: Level, isPlayed: boolean) => void;
}

/** Levels by paste, drop or choice of a file, each with the reason and the line where it is none. */
export function OwnLevel({ isOpen = false, onOpen }: OwnLevelProps) {
  const [isUnfolded, setUnfolded] = useState(isOpen);
  const [text, setText] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const [found, setFound] = useState<readonly { readonly title: string; readonly level: Level }[]>([]);
  const [chosen, choose] = useState(0);
  const read = (given: string): void => {
    setFound([]);
    choose(0);
    setFault(null);
    try {
      const entries = readCollection(given);
      const levels = entries.flatMap(({ title, level }) => (level === undefined ? [] : [{ title, level }]));
      const refused = entries.flatMap((entry) => entry.refused ?? []);
      setFound(levels.slice(0, MOST_LISTED));
      setFault(refused.length === 0 ? null : `${refused[0]}${refused.length > 1 ? `; so are ${refused.length - 1} more` : ""}`);
      if (levels[0] !== undefined) onOpen(levels[0].level, true);
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      setFault(error.message);
    }
  };
  const take = (file: File | undefined): void => {
    if (file === undefined) return;
    if (file.size > LONGEST_FILE) {
      setFault(`${file.name} has ${file.size} bytes; at most ${LONGEST_FILE} are read`);
      return;
    }
    void file.text().then((given) => {
      setText(given.slice(0, SHOWN_CHARACTERS));
      read(given);
    }, () => setFault(`${file.name} cannot be read`));
  };
  // Wherever it is dropped: a page that opens a file in its own place would lose the run.
  const bring = useEffectEvent(([file]: readonly File[]): void => {
    setUnfolded(true);
    take(file);
  });
  useEffect(() => acceptFiles((files) => bring(files)), []);
  const goTo = (index: number): void => {
    const entry = found[index];
    if (entry === undefined) return;
    choose(index);
    onOpen(entry.level, false);
  };
  return (
    <details open={isUnfolded} onToggle={(event) => setUnfolded(event.currentTarget.open)}>
      <summary>A level of your own</summary>
      <label htmlFor="sokoban-text">Level: # wall, @ player, $ box, . goal. Paste it, or drop a .txt, .sok or .xsb file</label>
      <textarea id="sokoban-text" className="input" rows={6} value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />
      <div className="actions">
        <button className="btn btn-sm" type="button" disabled={text.trim() === ""} onClick={() => read(text)}>
          Play it
        </button>
        <FileButton className="btn btn-sm" label="Level file" accept={FILES} onFiles={([file]) => take(file)}>
          Choose a file
        </FileButton>
        {found.length > 1 && (
          <select className="select" aria-label="Level of the file" value={chosen} onChange={(event) => goTo(Number(event.target.value))}>
            {found.map(({ title }, index) => (
              <option key={index} value={index}>
                {title}
              </option>
            ))}
          </select>
        )}
      </div>
      <p className="sokoban-fault" role="alert">
        {fault !== null && `Refused: ${fault}.`}
      </p>
    </details>
  );
}

/** Of a file's levels; the list stays short enough to be scrolled. */
const MOST_LISTED = 1000;
const SHOWN_CHARACTERS = 20_000;
