import { useId, useState, type ReactNode } from "react";
import { Icon } from "../icon.tsx";

export interface ChartTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
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

/** A drawing with its two twins: a sentence and a table. */
export function ChartCard({ title, value, summary, table, children, action, foot }: ChartCardProps) {
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  return (
    <article className="card panel" aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{title}</h2>
        {value}
        {action}
        <button
          className="btn btn-quiet btn-sm btn-icon"
          type="button"
          aria-pressed={asTable}
          aria-label={`${title} as a table`}
          onClick={() => setAsTable(!asTable)}
        >
          <Icon name="table" />
        </button>
      </div>
      {asTable ? <DataTable label={`${title} as a table`} {...table()} /> : children}
      <p className="card-foot">{foot === undefined ? summary : foot}</p>
    </article>
  );
}

interface DataTableProps extends ChartTable {
  readonly label: string;
}

const DataTable = ({ label, columns, rows }: DataTableProps) => (
  <div className="table-box" tabIndex={0} role="region" aria-label={label}>
    <table className="data">
      <thead>
        <tr>
          {columns.map((column, index) => (
            <th key={column} scope="col" className={index === 0 ? undefined : "num"}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row[0]}>
            {row.map((cell, index) =>
              index === 0 ? (
                <th key={columns[index]} scope="row">
                  {cell}
                </th>
              ) : (
                <td key={columns[index]} className="num">
                  {cell}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
