import { useMemo } from "react";
import { afterUpdates } from "#run/settings-changes.ts";
import { changes } from "#store/config-path.ts";
import { letterOf, type ComparedEntry } from "#store/compare/entry.ts";
import { differingSettings, type SettingRow } from "#store/compare/settings.ts";
import { changeText, settingValue } from "../controls/change-text.ts";
import { titleAt } from "../controls/field.ts";
import { RunKey } from "./swatch.tsx";

/** What differs between the entries, and nothing else. */
export function SettingsStrip({ entries }: { readonly entries: readonly ComparedEntry[] }) {
  const rows = useMemo(() => differingSettings(entries), [entries]);
  const configs = entries.map(({ runs }) => runs[0]?.config ?? null);
  const changed = useMemo(() => changesIn(entries), [entries]);
  return (
    <section className="panel compare-settings" aria-labelledby="compare-settings">
      <h2 id="compare-settings">Settings that differ</h2>
      {changed.map(({ name, update, text }) => (
        <p key={`${name}/${update}`} className="note">
          {name} went on under other settings {afterUpdates([update])}: {text}.
        </p>
      ))}
      {rows.length === 0 ? (
        <p className="note">{changed.length === 0 ? "None: they were trained under the same settings and seeds." : "Otherwise none."}</p>
      ) : (
        <div className="table-box" tabIndex={0} role="region" aria-label="Table of settings">
          <table className="data">
            <thead>
              <tr>
                <th scope="col">Setting</th>
                {entries.map((_, entry) => (
                  <th key={letterOf(entry)} scope="col">
                    <RunKey entry={entry} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ path, values }) => (
                <tr key={path}>
                  <th scope="row" title={path}>
                    {titleOf({ path, values }, configs)}
                  </th>
                  {values.map((value, entry) => (
                    <td key={letterOf(entry)}>{value === undefined ? "–" : settingValue(configs[entry], path, value)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

interface ChangedEntry {
  readonly name: string;
  readonly update: number;
  readonly text: string;
}

/** What was changed on the way of an entry's runs; the table has what they ended with. */
const changesIn = (entries: readonly ComparedEntry[]): readonly ChangedEntry[] =>
  entries.flatMap(({ runs }, entry) =>
    runs.flatMap((run) => run.changes.map(({ update, before, after }) => ({ name: letterOf(entry), update, text: changes(before, after).map((change) => changeText(after, change)).join(", ") }))),
  );

/** By the settings of an entry that has it. */
const titleOf = ({ path, values }: SettingRow, configs: readonly unknown[]): string => titleAt(configs[values.findIndex((value) => value !== undefined)], path);
