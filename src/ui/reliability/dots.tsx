import { useSize } from "../hooks/use-size.ts";
import type { Recount } from "./recount.ts";

const PITCH = 8;
const GAP = 12;

/** A dot an attempt; as many tasks in a band as there is room for. Two paths however many there are. */
export function Dots({ counted }: { readonly counted: Recount }) {
  const [box, size] = useSize();
  const { tasks, trials, shares, holding } = counted;
  const columns = Math.max(1, Math.min(tasks, Math.floor(((size?.width ?? 0) - 2) / PITCH)));
  const bands = Math.ceil(tasks / columns);
  const height = bands * (trials * PITCH + GAP);
  const successes = shares.flatMap((share) => Array.from({ length: share.tasks }, () => share.successes));
  const place = (task: number): readonly [number, number] => [(task % columns) * PITCH, Math.floor(task / columns) * (trials * PITCH + GAP)];
  const dots = (passed: boolean): string =>
    successes
      .flatMap((count, task) => {
        const [x, y] = place(task);
        return Array.from({ length: trials }, (_, row) => row).flatMap((row) =>
          row < count === passed ? [`M${x + 2} ${y + (trials - row - 1) * PITCH + 5}a2 2 0 1 0 4 0 2 2 0 1 0-4 0`] : [],
        );
      })
      .join("");
  return (
    <div className="dots" ref={box}>
      {size !== null && (
        <svg width={size.width} height={height} role="img" aria-label={`${successes.reduce((sum, count) => sum + count, 0)} of ${tasks * trials} attempts passed.`}>
          <path className="dot-failed" d={dots(false)} />
          <path className="dot-passed" d={dots(true)} />
          {Array.from({ length: bands }, (_, band) => {
            const held = Math.min(columns, holding - band * columns);
            return held <= 0 ? null : (
              <rect key={band} className="box" x="1" y={band * (trials * PITCH + GAP) + 1} width={held * PITCH} height={trials * PITCH} />
            );
          })}
        </svg>
      )}
    </div>
  );
}
