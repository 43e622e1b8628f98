import { Action, Dismiss, Notice } from "./notice.tsx";
import type { NoticeEntry } from "./safety-notices.tsx";

/** A newer page waits; changing to it is the person's choice, since it loads the page anew. */
export function versionNotice(change: (() => void) | null): NoticeEntry | null {
  if (change === null) return null;
  const content = (
    <Notice icon="info" title="A new version is ready">
      <p>The page is loaded anew for it. A run under way is kept and can go on from its last kept update.</p>
      <div className="actions">
        <Action isPrimary onClick={change}>
          Change to it
        </Action>
        <Dismiss about={change} label="Later" />
      </div>
    </Notice>
  );
  return { kind: "version", about: change, content };
}
