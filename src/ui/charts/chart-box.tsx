import { Suspense, type ReactNode } from "react";
import { useSize, type Size } from "../hooks/use-size.ts";

interface ChartBoxProps {
  readonly label: string;
  readonly children: (size: Size) => ReactNode;
}

/** Holds the place of a drawing before it is there; the label stands for the drawing. */
export function ChartBox({ label, children }: ChartBoxProps) {
  const [box, size] = useSize();
  return (
    <div className="chart-box" ref={box}>
      <div role="img" aria-label={label}>
        <Suspense>{size !== null && size.width > 0 && size.height > 0 ? children(size) : null}</Suspense>
      </div>
    </div>
  );
}
