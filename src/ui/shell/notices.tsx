import { useStore } from "zustand";
import { dismissedNotices } from "../notices.ts";
import { useRun, useWorkbench } from "../workbench-context.ts";
import { Failure, failureOf } from "./failure.tsx";
import { useOwnExhibits } from "../gallery/own.ts";
import { gapNotice } from "./gap-notice.tsx";
import { awaitedNotice, troubleNotice } from "./link-notices.tsx";
import { hiddenNotice, offerNotice, quietNotice, recoveryNotice, storageNotice, type NoticeEntry } from "./safety-notices.tsx";

/** What a person should know or decide, over the lower edge of the page: the most urgent; the next comes when it was put away. */
export function Notices() {
  const { controller, links } = useWorkbench();
  const error = useRun("transport", failureOf);
  const safety = useRun("transport", (run) => run.safety);
  const status = useRun("transport", (run) => run.status);
  const resting = useRun("transport", (run) => (run.status === "finished" || run.status === "paused" ? run : null));
  const own = useOwnExhibits(({ exhibits }) => exhibits);
  const { trouble, awaited } = useStore(links);
  const dismissed = useStore(dismissedNotices, ({ about }) => about);
  const entries: readonly (NoticeEntry | null)[] = [
    error && { kind: "failure", about: error, content: <Failure error={error} /> },
    quietNotice(safety, controller),
    recoveryNotice(safety),
    troubleNotice(trouble),
    offerNotice(safety, status, controller),
    hiddenNotice(safety, controller),
    storageNotice(safety, controller),
    awaitedNotice(awaited, status, controller),
    gapNotice(resting, new Set(own.map(({ id }) => id))),
  ];
  const shown = entries.find((entry) => entry !== null && !dismissed.has(entry.about));
  const manners = shown?.kind === "failure" ? { role: "alert", "aria-label": "Failure" } : { role: "status", "aria-label": "Notice" };
  return (
    <div className="notices">
      {shown && (
        <section className="alert" key={shown.kind} {...manners}>
          {shown.content}
        </section>
      )}
    </div>
  );
}
