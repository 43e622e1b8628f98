import { useEffect, useId, useRef } from "react";
import { found } from "#store/library-store.ts";
import { Icon } from "../icon.tsx";
import { sentence } from "../format.ts";
import { Imports } from "./imports.tsx";
import { stored, useLibrary } from "./library.ts";
import { QuotaLine } from "./quota-line.tsx";
import { CompareBar } from "./compare-pick.tsx";
import { RunEntries } from "./run-group.tsx";
import { SweepPanel } from "./sweep-panel.tsx";
import { Unreadable } from "./unreadable.tsx";
import "../styles/runs.css";

/** The runs kept in this browser: to find, name, open, take away and delete. */
export default function Runs() {
  useEffect(() => stored.follow(), []);
  return (
    <main className="runs" id="main" tabIndex={-1}>
      <header>
        <h1>Runs</h1>
        <p>
          Every run that got through an update is kept in this browser, with its groups, numbers and last weights. Nothing is uploaded. Policies
          of other tools <a href="#/player">act here as ONNX files</a>.
        </p>
      </header>
      <Imports />
      <Fault />
      <RunList />
      <Sweep />
      <Undo />
    </main>
  );
}

function RunList() {
  const listing = useLibrary((state) => state.listing);
  const search = useLibrary((state) => state.search);
  const id = useId();
  if (listing === null) return <section className="panel runs-empty" aria-busy="true" />;
  const runs = found(listing.runs, search);
  return (
    <section className="panel runs-panel" aria-labelledby={id}>
      <div className="runs-head">
        <h2 id={id}>Kept runs</h2>
        <QuotaLine />
        {listing.runs.length > 0 && (
          <input
            className="input"
            type="search"
            aria-label="Find runs"
            placeholder="Find by name, note, preset, seed"
            value={search}
            onChange={(event) => stored.find(event.target.value)}
          />
        )}
      </div>
      <p className="vh" role="status">
        {search === "" ? "" : `${runs.length} of ${listing.runs.length} runs found`}
      </p>
      {listing.runs.length === 0 && (
        <p className="runs-empty">
          No runs yet. <a href="#/play">Train one</a>, or open a file above.
        </p>
      )}
      {listing.runs.length > 0 && runs.length === 0 && <p className="runs-empty">No run has all of these words.</p>}
      {listing.runs.length > 1 && <CompareBar />}
      <ul className="run-list">
        <RunEntries runs={runs} />
      </ul>
      <Unreadable entries={listing.unreadable} />
    </section>
  );
}

function Sweep() {
  const listing = useLibrary((state) => state.listing);
  return listing === null ? null : <SweepPanel runs={listing.runs} />;
}

function Fault() {
  const fault = useLibrary((state) => state.fault);
  return (
    <div aria-live="polite">
      {fault !== null && (
        <div className="notice">
          <Icon name="warning" />
          <h2>{fault.reason === "full" ? "Storage is full" : "Nothing can be stored here"}</h2>
          <p>
            {fault.reason === "full"
              ? "The browser gives the page no more room: nothing was changed. Take away as files what matters, delete what does not, then try again."
              : `${sentence(fault.message)} Runs still train, and files can still be opened and written.`}
          </p>
        </div>
      )}
    </div>
  );
}

/** Stays until it is put away or another run is deleted. */
function Undo() {
  const deleted = useLibrary((state) => state.deleted);
  const undo = useRef<HTMLButtonElement>(null);
  /** Deleted before this was looked at. */
  const seen = useRef(deleted);
  useEffect(() => {
    if (deleted !== seen.current) {
      // The button that was pressed is gone with its run, or with this notice.
      if (deleted === null) document.getElementById("main")?.focus();
      else undo.current?.focus();
    }
    seen.current = deleted;
  }, [deleted]);
  return (
    <div className="runs-undo" role="status">
      {deleted !== null && (
        <div className="notice">
          <Icon name="info" />
          <h2>Deleted: {deleted.title}</h2>
          <div className="actions">
            <button className="btn btn-primary" type="button" ref={undo} onClick={() => void stored.undo()}>
              Undo
            </button>
            <button className="btn btn-quiet" type="button" onClick={stored.dismissUndo}>
              Dismiss
            </button>
          </div>
        </div>
      )}
    </div>
  );
}
