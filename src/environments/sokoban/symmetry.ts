import { characters, heightOf, type Level } from "./board.ts";

/** [cells] where each cell of the changed board comes from; the width changes with a turn. */
interface View {
  readonly width: number;
  readonly from: readonly number[];
}

const known = new Map<string, readonly View[]>();

function viewsOf(width: number, height: number): readonly View[] {
  const all = [false, true].flatMap((turned) => [false, true].flatMap((flipped) => [false, true].map((mirrored): View => {
    const [w, h] = turned ? [height, width] : [width, height];
    const from = Array.from({ length: w * h }, (_, cell) => {
      const [x, y] = [mirrored ? w - 1 - (cell % w) : cell % w, flipped ? h - 1 - Math.floor(cell / w) : Math.floor(cell / w)];
      return turned ? x * width + y : y * width + x;
    });
    return { width: w, from };
  })));
  known.set(`${width}x${height}`, all);
  return all;
}

/** The eight ways to look at a level, each as its width and its characters row by row; some may be equal. */
export function views(level: Level): readonly string[] {
  const { width } = level.room;
  const height = heightOf(level.room);
  const board = characters(level);
  return (known.get(`${width}x${height}`) ?? viewsOf(width, height)).map((view) => {
    let text = `${view.width}:`;
    for (const cell of view.from) text += board[cell] ?? "";
    return text;
  });
}

/** Equal for levels that differ by a turn or a mirror only. */
export function symmetricText(level: Level): string {
  const [first = "", ...others] = views(level);
  return others.reduce((least, text) => (text < least ? text : least), first);
}
