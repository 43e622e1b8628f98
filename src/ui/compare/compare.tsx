import { useEffect, useMemo, useState } from "react";
import { readCompareAddress } from "#store/compare/compare-choice.ts";
import { taskDifferences } from "#store/compare/difference.ts";
import { FEWEST_COMPARED, letterOf, MOST_COMPARED, type ComparedEntry } from "#store/compare/entry.ts";
import { loadComparison, type LoadedComparison } from "#store/compare/load.ts";
import { sentence } from "../format.ts";
import { library } from "../library/library.ts";
import { useFragment } from "../route.ts";
import { Curves } from "./curves.tsx";
import { Differences } from "./differences.tsx";
import { SettingsStrip } from "./settings-strip.tsx";
import { SideBySide } from "./side-by-side.tsx";
import { RunKey } from "./swatch.tsx";
import "../styles/compare.css";

type Loading = { readonly kind: "loading" } | { readonly kind: "failed"; readonly message: string } | ({ readonly kind: "loaded" } & LoadedComparison);

/** What the address names, read once from storage: a run that goes on meanwhile is as it was then. */
function useComparison(hash: string): Loading {
  const [{ of, loaded }, set] = useState<{ readonly of: string; readonly loaded: Loading }>({ of: "", loaded: { kind: "loading" } });
  useEffect(() => {
    let isWanted = true;
    loadComparison(library, readCompareAddress(hash)).then(
      (comparison) => isWanted && set({ of: hash, loaded: { kind: "loaded", ...comparison } }),
      (error: unknown) => isWanted && set({ of: hash, loaded: { kind: "failed", message: error instanceof Error ? error.message : String(error) } }),
    );
    return () => {
      isWanted = false;
    };
  }, [hash]);
  return of === hash ? loaded : { kind: "loading" };
}

/** Two to four kept runs beside each other. */
export default function Compare() {
  const hash = useFragment();
  const loading = useComparison(hash);
  return (
    <main className="compare" id="main" tabIndex={-1} aria-busy={loading.kind === "loading"}>
      <header>
        <h1>Compare runs</h1>
        <p>
          <a href="#/runs">All runs</a>
        </p>
      </header>
      {loading.kind === "failed" && <p>{sentence(loading.message)}</p>}
      {loading.kind === "loaded" && <Loaded key={hash} {...loading} />}
    </main>
  );
}

function Loaded({ entries, missing }: LoadedComparison) {
  const differences = useMemo(() => taskDifferences(entries), [entries]);
  return (
    <>
      {missing > 0 && <p className="notice">{missing === 1 ? "One of the runs is" : `${missing} of the runs are`} not stored any more, or cannot be read.</p>}
      {entries.length < FEWEST_COMPARED ? (
        <p>
          {entries.length === 1 ? "Only one run is left to compare" : "No run is chosen"}: choose {FEWEST_COMPARED} to {MOST_COMPARED} among <a href="#/runs">all runs</a>.
        </p>
      ) : (
        <>
          <Entries entries={entries} />
          <SettingsStrip entries={entries} />
          <Curves entries={entries} />
          <Differences entries={entries} differences={differences} />
          <SideBySide entries={entries} />
        </>
      )}
    </>
  );
}

/** Letter, line and name of each. */
const Entries = ({ entries }: { readonly entries: readonly ComparedEntry[] }) => (
  <section className="panel compare-entries" aria-label="Runs compared">
    <ul>
      {entries.map(({ title, runs }, entry) => (
        <li key={letterOf(entry)}>
          <RunKey entry={entry} />
          <span>
            {title}{" "}
            <span className="note">
              {runs.length > 1 ? `seeds ${runs.map(({ config }) => config.seed).join(", ")}; line: mean, ribbon: lowest to highest seed` : `${runs[0]?.state.update ?? 0} of ${runs[0]?.config.updates ?? 0} updates`}
            </span>
          </span>
        </li>
      ))}
    </ul>
    <p className="note">Bands over tasks are left out here: where two of them overlap says little. The difference below is taken task by task.</p>
  </section>
);
