import { useEffect, useId, useState } from "react";
import type { CaseFile } from "#environments/tau-retail/files.ts";
import { acceptFiles } from "../accept-files.ts";
import { FileButton } from "../controls/file-button.tsx";
import { Icon } from "../icon.tsx";
import { cases, useCases } from "./cases.ts";

const KINDS: readonly { readonly kind: CaseFile["kind"]; readonly title: string; readonly unit: string }[] = [
  { kind: "users", title: "users.json", unit: "customers" },
  { kind: "orders", title: "orders.json", unit: "orders" },
  { kind: "products", title: "products.json", unit: "products" },
  { kind: "tasks", title: "a task file", unit: "tasks" },
];

const countOf = ({ rows }: CaseFile): number => ("size" in rows ? rows.size : rows.length);

const open = (files: readonly File[]): void => void cases.open(files);

/** Where files are dropped or chosen, and what is still missing. */
export function Files() {
  const files = useCases((state) => state.files);
  const faults = useCases((state) => state.faults);
  const [isOver, setOver] = useState(false);
  const id = useId();
  useEffect(() => acceptFiles(open, setOver), []);
  return (
    <section className={isOver ? "panel case-files is-over" : "panel case-files"} aria-labelledby={id}>
      <div className="case-files-head">
        <h2 id={id}>Files</h2>
        <p className="note">Drop all four here, in any order. They are told by what they hold and stay in this tab.</p>
        <FileButton label="Database and task files" accept=".json,application/json" multiple onFiles={open}>
          Choose files
        </FileButton>
      </div>
      <ul className="case-slots">
        {KINDS.map(({ kind, title, unit }) => {
          const opened = files[kind];
          return (
            <li key={kind} className={opened === undefined ? "is-missing" : undefined}>
              <Icon name={opened === undefined ? "table" : "confirm"} />
              <span>
                {opened === undefined ? title : opened.name}
                <span className="note">{opened === undefined ? "missing" : `${countOf(opened.file)} ${unit}`}</span>
              </span>
            </li>
          );
        })}
      </ul>
      <div aria-live="polite">
        {faults.length > 0 && (
          <div className="notice">
            <Icon name="warning" />
            <h3>{faults.length === 1 ? "A file was not read" : `${faults.length} files were not read`}</h3>
            {faults.map((fault) => (
              <p key={fault}>{fault}</p>
            ))}
          </div>
        )}
      </div>
    </section>
  );
}
