import { useEffect, useId, useRef, useState } from "react";
import { settingsChanged } from "#store/draft-store.ts";
import { saveRun } from "../save-file.ts";
import { useDraft, useRun, useWorkbench } from "../workbench-context.ts";
import { Modal } from "./modal.tsx";

export const ShareDialog = () => (
  <Modal id="share" title="Share">
    <Link />
    <RunFile />
  </Modal>
);

/** What a link does not carry: everything the run has told, as a file. */
function RunFile() {
  const { controller } = useWorkbench();
  const update = useRun("transport", (run) => run.update);
  return (
    <section className="share-file">
      <h3>Run file</h3>
      <p>
        {update === 0
          ? "Once a run has an update behind it, all its events can be downloaded: groups, numbers, evaluations."
          : `All events so far, up to update ${update}: groups, numbers, evaluations. Gzip of JSON lines, as the command line writes it. Weights are under the scrubber's layers.`}
      </p>
      <button className="btn" type="button" disabled={update === 0} onClick={() => void saveRun(controller)}>
        Download the run
      </button>
    </section>
  );
}

/** Chat programmes and mail cut longer addresses. */
const SAFE_ANYWHERE = 2_000;

/** The address of what is set and looked at, to be copied. */
function Link() {
  const { links } = useWorkbench();
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState<"yes" | "by-hand" | null>(null);
  const [link, setLink] = useState("");
  useEffect(() => void links.current().then((fragment) => setLink(`${location.href.split("#")[0]}${fragment}`)), [links]);
  const differs = useRun("transport", (run) => run.config);
  const isPending = useDraft((draft) => settingsChanged(draft, differs).length > 0);
  const isWrong = useDraft((draft) => draft.issue !== null);
  const id = useId();

  const copy = async (): Promise<void> => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(link);
      setCopied("yes");
    } catch {
      // Forbidden, or not a secure page.
      setCopied("by-hand");
    }
  };
  return (
    <>
      <p>The link carries the settings, the seed and what is looked at. Nothing is uploaded, and weights are no part of it.</p>
      {isPending && <p>Some settings were changed since the run started: the link has them as they are edited.</p>}
      {isWrong && <p>One setting is out of range: the link has the last value that was allowed.</p>}
      <div className="field">
        <label htmlFor={id}>Link</label>
        <div className="copy-row">
          <input className="input" id={id} readOnly value={link} ref={field} aria-describedby={`${id}-note`} onFocus={(event) => event.target.select()} />
          <button className="btn btn-primary" type="button" data-first onClick={() => void copy()}>
            Copy link
          </button>
        </div>
        <small id={`${id}-note`}>
          {link.length} characters, {link.length <= SAFE_ANYWHERE ? "short enough for any chat or mail" : "too long for some chats and mails"}
        </small>
      </div>
      <p role="status">{copied === "yes" ? "Copied." : copied === "by-hand" ? "This browser does not let the page copy: the link is selected, copy it by hand." : ""}</p>
    </>
  );
}
