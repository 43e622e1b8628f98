import { useRef, useState, type ReactNode } from "react";
import { afterUpdates } from "#run/settings-changes.ts";
import { titleOf } from "#store/library-store.ts";
import { isUnderWay } from "#store/selectors.ts";
import type { StoredRun } from "#trainer/library/run-library.ts";
import { openDialog } from "../dialog.ts";
import { fixed } from "../format.ts";
import { Icon } from "../icon.tsx";
import { useRun, useWorkbench } from "../workbench-context.ts";
import { EditRun } from "./edit-run.tsx";
import { chosenRun } from "./chosen-run.ts";
import { stored } from "./library.ts";
import { settingsName } from "./own-settings.ts";

const STANDING: Readonly<Record<StoredRun["standing"], string>> = { "under-way": "unfinished", stopped: "stopped", finished: "finished" };

/** One stored run: what it is, how far it got, and what can be done with it. @param pick takes it into a comparison, where it stands for itself */
export function RunItem({ run, pick }: { readonly run: StoredRun; readonly pick?: ReactNode }) {
  const { controller } = useWorkbench();
  const [isEdited, setEdited] = useState(false);
  const rename = useRef<HTMLButtonElement>(null);
  const edited = (): void => {
    setEdited(false);
    rename.current?.focus();
  };
  const title = titleOf(run);
  // Another tab may be at work on it: this page's own run is the one its trainer has kept last.
  const isHere = useRun("transport", (state) => isUnderWay(state) && controller.snapshot()?.name === run.name);
  const open = (): void => {
    controller.openStored(run.config, { kind: "kept", name: run.name });
    location.hash = "#/play";
  };
  return (
    <li className={run.isPinned ? "run-item is-pinned" : "run-item"}>
      <div className="run-what">
        <h3>{title}</h3>
        <p>
          {new Date(run.savedAt).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })} · {settingsName(run.config)} · seed {run.config.seed}
          {run.changedAfter.length > 0 && ` · settings changed ${afterUpdates(run.changedAfter)}`}
          {run.isImported && " · from a file"}
        </p>
        {run.note !== "" && !isEdited && <p className="run-note">{run.note}</p>}
      </div>
      <dl className="run-numbers">
        <div>
          <dt>Updates</dt>
          <dd>
            {run.update} <small>of {run.config.updates}</small>
          </dd>
        </div>
        <div>
          <dt>Held-out pass^1</dt>
          <dd>
            {run.heldout === null ? "–" : fixed(run.heldout.passHat1)} {run.heldout !== null && <small>at {run.heldout.update}</small>}
          </dd>
        </div>
        <div>
          <dt>State</dt>
          <dd>{run.isWorkedOn ? "at work in a tab" : STANDING[run.standing]}</dd>
        </div>
      </dl>
      <div className="run-actions" role="group" aria-label={title}>
        {run.isWorkedOn ? (
          isHere ? (
            <a className="btn" href="#/play">
              Look at the run
            </a>
          ) : (
            <span className="note">Open it in its own tab.</span>
          )
        ) : (
          <button className="btn" type="button" aria-label={`Open ${title}`} onClick={open}>
            Open
          </button>
        )}
        <button
          className="btn btn-quiet"
          type="button"
          aria-label={`Export ${title}`}
          onClick={() => {
            chosenRun.setState({ run });
            openDialog("export");
          }}
        >
          Export
        </button>
        <button className="btn btn-quiet" ref={rename} type="button" aria-expanded={isEdited} aria-label={`Rename ${title}`} onClick={() => setEdited(!isEdited)}>
          Rename
        </button>
        <button
          className="btn btn-quiet btn-icon"
          type="button"
          aria-pressed={run.isPinned}
          aria-label={`Pin ${title}`}
          title={run.isPinned ? "Unpin" : "Pin: comes first, and is never deleted to make room"}
          onClick={() => void stored.edit(run.name, { isPinned: !run.isPinned })}
        >
          <Icon name="pin" />
        </button>
        <button
          className="btn btn-quiet btn-icon"
          type="button"
          aria-label={`Delete ${title}`}
          title={run.isWorkedOn ? "A tab is working on it" : "Delete"}
          disabled={run.isWorkedOn}
          onClick={() => void stored.remove(run)}
        >
          <Icon name="close" />
        </button>
        {pick}
      </div>
      {isEdited && <EditRun run={run} onDone={edited} />}
    </li>
  );
}
