import { Suspense, useId, useState, type ReactNode } from "react";
import { Icon } from "../icon.tsx";
import { part } from "../part.tsx";

const TableDialog = part(() => import("./table-dialog.tsx"));

export interface ChartTable {
  readonly columns: readonly string[];
  /** As many cells as columns, "" for a number there is not. */
  readonly rows: readonly (readonly string[])[];
  /** What should be known of it, or why there is none yet. */
  readonly note?: string;
}

interface ChartCardProps {
  readonly title: string;
  /** The newest number, beside the title. */
  readonly value: ReactNode;
  /** What the drawing says, in a sentence or two. */
  readonly summary: string;
  readonly table: () => ChartTable;
  readonly children: ReactNode;
  /** A button beside the one for the table. */
  readonly action?: ReactNode;
  readonly foot?: ReactNode;
}

/** A drawing with its two twins: a sentence, and a table that opens over the page. */
export function ChartCard({ title, value, summary, table, children, action, foot }: ChartCardProps) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const label = `${title} as a table`;
  return (
    <article className="card panel" aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{title}</h2>
        {value}
        {action}
        <button className="btn btn-quiet btn-sm btn-icon" type="button" aria-haspopup="dialog" aria-label={label} title={label} onClick={() => setIsOpen(true)}>
          <Icon name="table" />
        </button>
      </div>
      {children}
      <p className="card-foot">{foot === undefined ? summary : foot}</p>
      {isOpen && (
        <Suspense>
          <TableDialog title={label} {...table()} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </article>
  );
}
