import { useStore } from "zustand";
import { seedBand } from "#core/seeds.ts";
import { entryTitle } from "#store/compare/load.ts";
import { bySeedless, oneASeed } from "#store/seed-groups.ts";
import type { StoredRun } from "#trainer/library/run-library.ts";
import { fixed } from "../format.ts";
import { ComparePick } from "./compare-pick.tsx";
import { choice } from "./library.ts";
import { settingsName } from "./own-settings.ts";
import { RunItem } from "./run-item.tsx";

/** Runs one by one, or those that differ in nothing but their seed as one entry. */
export function RunEntries({ runs }: { readonly runs: readonly StoredRun[] }) {
  const isBySeedless = useStore(choice, (state) => state.isBySeedless);
  const groups = isBySeedless ? bySeedless(runs) : runs.map((run) => [run]);
  return groups.map((group) => {
    const [first] = group;
    if (first === undefined) return null;
    return group.length === 1 ? <RunItem key={first.name} run={first} pick={<ComparePick names={[first.name]} title={entryTitle(group)} />} /> : <RunGroup key={first.name} first={first} runs={group} />;
  });
}

/** What is told of all seeds; each of them below. */
function RunGroup({ first, runs }: { readonly first: StoredRun; readonly runs: readonly StoredRun[] }) {
  const seeds = oneASeed(runs);
  const title = entryTitle(seeds);
  const ends = seeds.flatMap(({ heldout }) => (heldout === null ? [] : [heldout.passHat1]));
  const band = ends.length === seeds.length ? seedBand(ends) : null;
  return (
    <li className="run-item run-group">
      <div className="run-what">
        <h3>{title}</h3>
        <p>
          {seeds.length === 1 ? `seed ${seeds[0]?.config.seed}` : `seeds ${seeds.map(({ config }) => config.seed).join(", ")}`} · {settingsName(first.config)}
          {runs.length > seeds.length && ` · ${runs.length} runs`}
        </p>
      </div>
      <dl className="run-numbers">
        <div>
          <dt>Seeds</dt>
          <dd>{seeds.length}</dd>
        </div>
        <div>
          <dt>Held-out pass^1</dt>
          <dd>
            {band === null ? "–" : fixed(band.mean)}{" "}
            {band !== null && (
              <small>
                {fixed(band.range[0])} to {fixed(band.range[1])}
              </small>
            )}
          </dd>
        </div>
        <div>
          <dt>Finished</dt>
          <dd>
            {seeds.filter(({ standing }) => standing === "finished").length} <small>of {seeds.length}</small>
          </dd>
        </div>
      </dl>
      <div className="run-actions" role="group" aria-label={title}>
        <ComparePick names={runs.map(({ name }) => name)} title={title} />
      </div>
      <details>
        <summary>Each run</summary>
        <ul className="run-list">
          {runs.map((run) => (
            <RunItem key={run.name} run={run} />
          ))}
        </ul>
      </details>
    </li>
  );
}
