/** More turns than this do not fit: the matrix scrolls, each turn as wide as its numbers need. */
const MANY = 8;
/** Pixels; the columns in focus.css. */
const TURN = 70;
const SIDES = 166 + 92;

/** Least width in pixels of a matrix of so many turns; null where they fit. */
export const leastWidth = (columns: number): number | null => (columns > MANY ? SIDES + columns * TURN : null);
