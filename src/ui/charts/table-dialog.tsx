import { Dialog } from "../shell/modal.tsx";
import type { ChartTable } from "./chart-card.tsx";

interface TableDialogProps extends ChartTable {
  readonly title: string;
  readonly onClose: () => void;
}

/** Every number of a drawing. It follows the run while it is open. */
export default function TableDialog({ title, columns, rows, note, onClose }: TableDialogProps) {
  return (
    <Dialog title={title} size="fitted" onClose={onClose}>
      {note !== undefined && <p>{note}</p>}
      {rows.length > 0 && (
        <div className="table-box" tabIndex={0} role="region" aria-label={title} data-first>
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
                        {cell === "" ? "–" : cell}
                      </td>
                    ),
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Dialog>
  );
}
