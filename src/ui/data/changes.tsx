import type { RetailDatabase, Table } from "#environments/tau-retail/database.ts";
import { recordChanges } from "./record-changes.ts";

const NAMES: Readonly<Record<Table, string>> = { users: "Customer", orders: "Order", products: "Product" };

interface ChangesProps {
  readonly before: RetailDatabase;
  readonly after: RetailDatabase;
}

/** Old values struck out, new ones framed: told by shape, not by colour. */
export function Changes({ before, after }: ChangesProps) {
  const records = recordChanges(before, after);
  if (records.length === 0) return <p className="note">The database is unchanged.</p>;
  return records.map(({ table, id, values }) => (
    <div className="diff-box" key={`${table} ${id}`} tabIndex={0} role="region" aria-label={`Changes of ${NAMES[table]} ${id}`}>
      <table className="diff">
        <caption>
          {NAMES[table]} {id}
        </caption>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before and after</th>
          </tr>
        </thead>
        <tbody>
          {values.map((value) => (
            <tr key={value.path}>
              <th scope="row">{value.path}</th>
              <td>
                {value.before !== null && (
                  <del>
                    <span className="vh">was </span>
                    {value.before}
                  </del>
                )}{" "}
                <ins>
                  <span className="vh">now </span>
                  {value.after ?? "not there"}
                </ins>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  ));
}
