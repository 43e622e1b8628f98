import { useState } from "react";
import type { LinkState, LinkTrouble } from "#store/link-store.ts";
import type { RunController } from "#store/run-controller.ts";
import type { RunStatus } from "#store/run-state.ts";
import { copyText } from "../copy-text.ts";
import { memberName } from "../format.ts";
import { Action, Dismiss, Notice } from "./notice.tsx";
import type { NoticeEntry } from "./safety-notices.tsx";

export const troubleNotice = (trouble: LinkTrouble | null): NoticeEntry | null =>
  trouble && { kind: "link", about: trouble, content: <Trouble trouble={trouble} /> };

/** A link may have a thousand names that nobody knows: all of them told would cover the page. */
const MOST_TOLD = 4;
const LONGEST_NAME = 60;

function Trouble({ trouble }: { readonly trouble: LinkTrouble }) {
  const { kind, messages, original } = trouble;
  if (kind === "nowhere") {
    return (
      <Notice icon="warning" title={`There is no page “${original.replace(/^#\/?/, "").slice(0, LONGEST_NAME)}”`}>
        <p>This is Play. Runs, Gallery, Cases and About are in the bar above.</p>
        <div className="actions">
          <Dismiss about={trouble} />
        </div>
      </Notice>
    );
  }
  return (
    <Notice icon="warning" title={kind === "malformed" ? "This link could not be read" : "Not all of this link was taken"}>
      {messages.length === 1 ? (
        <p>{messages[0]}</p>
      ) : (
        <ul className="notice-list">
          {messages.slice(0, MOST_TOLD).map((message) => (
            <li key={message}>{message}</li>
          ))}
          {messages.length > MOST_TOLD && <li>And {messages.length - MOST_TOLD} more of the kind.</li>}
        </ul>
      )}
      {kind === "malformed" && <p>The settings were left as they were.</p>}
      <Original text={original} />
      <div className="actions">
        <Dismiss about={trouble} />
      </div>
    </Notice>
  );
}

/** A field with a megabyte in it holds the page up. */
const SHOWN = 10_000;

/** The link as it came: what was mistyped or cut off can be seen and mended. All of it is copied, however much of it is shown. */
function Original({ text }: { readonly text: string }) {
  const [said, setSaid] = useState("");
  const copy = async (): Promise<void> => {
    setSaid((await copyText(text)) ? "Copied." : "Select the text and copy it by hand.");
  };
  return (
    <div className="copy-row">
      <input className="input" readOnly value={text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text} aria-label="The link as it came" onFocus={(event) => event.target.select()} />
      <Action onClick={() => void copy()}>Copy</Action>
      <span className="vh" role="status">
        {said}
      </span>
    </div>
  );
}

export function awaitedNotice(awaited: LinkState["awaited"], status: RunStatus, controller: RunController): NoticeEntry | null {
  if (awaited === null || !awaited.isTold) return null;
  const { update, selection } = awaited;
  const turn = selection === null ? "" : `, ${memberName(selection.member)}, turn ${selection.turn + 1}`;
  const canRun = status === "idle" || status === "paused";
  const content = (
    <Notice icon="info" title="This link looks at a turn of the run">
      <p>
        Update {update}
        {turn}: it is shown when the run gets there.
      </p>
      <div className="actions">
        {canRun && (
          <Action isPrimary onClick={() => controller.toggle()}>
            {status === "idle" ? "Run" : "Resume"}
          </Action>
        )}
        <Dismiss about={awaited} />
      </div>
    </Notice>
  );
  return { kind: "awaited", about: awaited, content };
}
