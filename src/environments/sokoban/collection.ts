import { TaskError } from "#core/errors.ts";
import type { Level } from "./board.ts";
import { readLevel } from "./level-reader.ts";

/** A level of a file, or why it is none. */
export interface Entry {
  readonly title: string;
  /** Of its first row, from 1. */
  readonly line: number;
  readonly rows: readonly string[];
  readonly level: Level | undefined;
  /** With the line; undefined for a level. */
  readonly refused: string | undefined;
  /** As written; snapshots are not among them. */
  readonly solutions: readonly { readonly line: number; readonly text: string }[];
  /** Such as Author. */
  readonly notes: Readonly<Record<string, string>>;
}

/** Characters of a text; the 1,000 levels of a Boxoban file have some 115,000. */
const LONGEST = 8_000_000;
const MOST_LEVELS = 20_000;

const BOARD = /^[#@+$*.\-_ \t0-9()|]+$/;
/** Also what is meant as a row and has a character that is no cell, so that it is refused and not overlooked. */
const isRow = (line: string): boolean => (BOARD.test(line) && /[#@+$*.\-_]/.test(line)) || /^#.*#$/.test(line.trim());
const isMoves = (line: string): boolean => /^[lurdLURD0-9()\s]+$/.test(line) && /[lurdLURD]/.test(line);
const KEY = /^([A-Za-z][\w -]{0,30}):\s*(.*)$/;

interface Open {
  title: string;
  readonly line: number;
  readonly rows: string[];
  readonly solutions: { readonly line: number; text: string }[];
  readonly notes: Record<string, string>;
}

class Reader {
  readonly #found: Open[] = [];
  #heading = "";
  #current: Open | undefined;
  /** Whether lines still belong to the rows of the level. */
  #inRows = false;
  #inComment = false;
  #inSnapshot = false;
  #inMoves = false;

  read(lines: readonly string[]): readonly Open[] {
    for (const [index, raw] of lines.entries()) this.#line(raw.replaceAll("\r", ""), index + 1);
    return this.#found;
  }

  #line(text: string, line: number): void {
    if (this.#inComment) {
      if (/^comment[- ]?end\s*:?/i.test(text)) this.#inComment = false;
      return;
    }
    if (text.trim() === "") {
      [this.#inRows, this.#inMoves, this.#inSnapshot] = [false, false, false];
      return;
    }
    if (isRow(text) && (this.#inRows || text.includes("#"))) this.#row(text, line);
    else {
      this.#inRows = false;
      if (isMoves(text) && this.#current) this.#moves(this.#current, text, line);
      else this.#text(text);
    }
  }

  #row(text: string, line: number): void {
    if (!this.#inRows || !this.#current) {
      if (this.#found.length === MOST_LEVELS) throw new TaskError(`allowed are at most ${MOST_LEVELS} levels in one text`, { line });
      this.#current = { title: this.#heading, line, rows: [], solutions: [], notes: {} };
      this.#found.push(this.#current);
      [this.#heading, this.#inMoves, this.#inSnapshot] = ["", false, false];
      this.#inRows = true;
    }
    this.#current.rows.push(text);
  }

  /** A solution may go on over several lines. */
  #moves(current: Open, text: string, line: number): void {
    if (this.#inSnapshot) return;
    const last = current.solutions.at(-1);
    if (this.#inMoves && last) last.text += text.trim();
    else current.solutions.push({ line, text: text.trim() });
    this.#inMoves = true;
  }

  #text(text: string): void {
    this.#inMoves = false;
    this.#inSnapshot = /^snapshot\b/i.test(text);
    if (this.#inSnapshot || /^solution\b/i.test(text)) return;
    const [, key, value = ""] = KEY.exec(text) ?? [];
    if (key === undefined) this.#heading = text.replace(/^[;:\s]+/, "").trim();
    else if (/^comment$/i.test(key) && value === "") this.#inComment = true;
    else if (/^title$/i.test(key)) {
      if (this.#current) this.#current.title = value;
      else this.#heading = value;
    } else if (this.#current) Object.defineProperty(this.#current.notes, key, { value, enumerable: true, configurable: true });
  }
}

/**
 * Levels of a text in the .sok format or in that of Boxoban: rows, a heading before them or "Title:" behind, "key: value" lines, comments,
 * then perhaps solutions. An illegal level is an entry too, with the reason.
 * @throws TaskError for a text that is too long or holds no level at all.
 */
export function readCollection(text: string): readonly Entry[] {
  if (text.length > LONGEST) throw new TaskError(`allowed are at most ${LONGEST} characters, got ${text.length}`);
  const found = new Reader().read(text.replace(/^\uFEFF/, "").split("\n"));
  if (found.length === 0) throw new TaskError("there is no level: no line consists of # @ + $ * . and floor");
  return found.map((open, index) => {
    const named = { ...open, title: open.title === "" ? String(index + 1) : open.title };
    try {
      return { ...named, level: readLevel(open.rows, open.line), refused: undefined };
    } catch (error) {
      if (error instanceof TaskError) return { ...named, level: undefined, refused: error.message };
      throw error;
    }
  });
}
