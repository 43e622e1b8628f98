import { useEffect, useId, useRef, type FormEvent, type KeyboardEvent } from "react";
import { titleOf } from "#store/library-store.ts";
import type { StoredRun } from "#trainer/library/run-library.ts";
import { stored } from "./library.ts";

const MAX_TITLE = 120;
const MAX_NOTE = 2_000;

/** Name and note of a run, the name at hand; Escape leaves both as they were. An empty name gives it back the one its settings make. */
export function EditRun({ run, onDone }: { readonly run: StoredRun; readonly onDone: () => void }) {
  const id = useId();
  const title = useRef<HTMLInputElement>(null);
  const note = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    title.current?.focus();
    title.current?.select();
  }, []);
  const press = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onDone();
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    void stored.edit(run.name, { title: (title.current?.value ?? "").trim().slice(0, MAX_TITLE), note: (note.current?.value ?? "").trim().slice(0, MAX_NOTE) });
    onDone();
  };
  return (
    <form className="run-edit" onSubmit={save}>
      <div className="field">
        <label htmlFor={`${id}-title`}>Name</label>
        <input className="input" id={`${id}-title`} ref={title} onKeyDown={press} defaultValue={run.title} placeholder={titleOf(run)} maxLength={MAX_TITLE} />
      </div>
      <div className="field">
        <label htmlFor={`${id}-note`}>Note</label>
        <textarea className="input" id={`${id}-note`} ref={note} onKeyDown={press} defaultValue={run.note} maxLength={MAX_NOTE} rows={3} />
      </div>
      <div className="actions">
        <button className="btn btn-primary" type="submit" onKeyDown={press}>
          Save
        </button>
        <button className="btn btn-quiet" type="button" onKeyDown={press} onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  );
}
