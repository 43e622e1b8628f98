import "./sokoban.css";

/** Where a box has been: cells in order, a run of them for each box. */
export type BoxPath = readonly number[];

interface BoardPictureProps {
  /** In XSB characters, the wall around them included. */
  readonly rows: readonly string[];
  /** Said instead of shown to who cannot see it. */
  readonly label: string;
  /** Cells from which a box can never be brought home; marked where given. */
  readonly dead?: readonly number[] | undefined;
  readonly paths?: readonly BoxPath[] | undefined;
  readonly isSmall?: boolean;
}

/** Sides of a cell in the picture's own units. */
const CELL = 10;

const centre = (cell: number, width: number): readonly [number, number] => [((cell % width) + 0.5) * CELL, (Math.floor(cell / width) + 0.5) * CELL];

/** A level from above: told apart by shape as well as by colour. */
export function BoardPicture({ rows, label, dead = [], paths = [], isSmall = false }: BoardPictureProps) {
  const width = rows[0]?.length ?? 0;
  const cells = rows.flatMap((row, y) => Array.from(row, (character, x) => ({ character, x: x * CELL, y: y * CELL, key: `${x}:${y}` })));
  return (
    <svg className={isSmall ? "sokoban is-small" : "sokoban"} viewBox={`0 0 ${width * CELL} ${rows.length * CELL}`} role="img" aria-label={label}>
      {cells.map(({ character, x, y, key }) => (
        <rect key={key} className={character === "#" ? "sokoban-wall" : "sokoban-floor"} x={x} y={y} width={CELL} height={CELL} />
      ))}
      {dead.map((cell) => {
        const [x, y] = centre(cell, width);
        return <path key={cell} className="sokoban-dead" d={`M${x - 2} ${y - 2}l4 4m0-4l-4 4`} />;
      })}
      {cells.map(({ character, x, y, key }) => (
        <Piece key={key} character={character} x={x} y={y} />
      ))}
      {paths.map((path, index) => (
        <path key={index} className="sokoban-path" d={path.map((cell, step) => `${step === 0 ? "M" : "L"}${centre(cell, width).join(" ")}`).join("")} />
      ))}
    </svg>
  );
}

/** What stands on a cell: a ring for a goal, a crate for a box, with a tick once it is home, a disc for the player. */
function Piece({ character, x, y }: { readonly character: string; readonly x: number; readonly y: number }) {
  const [isGoal, isBox, isPlayer] = [".+*".includes(character), "$*".includes(character), "@+".includes(character)];
  return (
    <>
      {isGoal && <circle className="sokoban-goal" cx={x + 5} cy={y + 5} r={isPlayer ? 4 : 2} />}
      {isBox && <rect className={isGoal ? "sokoban-box is-home" : "sokoban-box"} x={x + 1.5} y={y + 1.5} width={7} height={7} rx={1} />}
      {isBox && <path className={isGoal ? "sokoban-mark is-home" : "sokoban-mark"} d={isGoal ? `m${x + 3} ${y + 5.2}l1.5 1.6l2.6-3.4` : `M${x + 3} ${y + 3}l4 4m0-4l-4 4`} />}
      {isPlayer && <circle className="sokoban-player" cx={x + 5} cy={y + 5} r={2.6} />}
    </>
  );
}
