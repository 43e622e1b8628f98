import { useEffect } from "react";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { changedOnTheWay } from "#store/changed-on-the-way.ts";
import type { SharedRun, SharedRunState } from "#store/shared-run.ts";
import { dismissedNotices } from "../notices.ts";
import { newVersion } from "../new-version.ts";
import { useRun, useWorkbench } from "../workbench-context.ts";
import { Failure, failureOf } from "./failure.tsx";
import { useOwnExhibits } from "../gallery/own.ts";
import { Framing } from "./framing.tsx";
import { gapNotice } from "./gap-notice.tsx";
import { awaitedNotice, troubleNotice } from "./link-notices.tsx";
import { openedNotice, verdictNotice } from "./shared-notices.tsx";
import { versionNotice } from "./version-notice.tsx";
import { hiddenNotice, offerNotice, quietNotice, recoveryNotice, storageNotice, type NoticeEntry } from "./safety-notices.tsx";

/** What a person should know or decide, over the lower edge of the page: the most urgent; the next comes when it was put away. */
export function Notices() {
  const { controller, links } = useWorkbench();
  const error = useRun("transport", failureOf);
  const safety = useRun("transport", (run) => run.safety);
  const status = useRun("transport", (run) => run.status);
  const { trouble, awaited, opened, locks, frame } = useStore(links);
  const shared = opened?.shared ?? null;
  const verdict = useVerdict(shared);
  const change = useStore(newVersion, (version) => version.change);
  const resting = useRun("transport", (run) => (run.status === "finished" || run.status === "paused" ? run : null));
  const own = useOwnExhibits(({ exhibits }) => exhibits);
  const dismissed = useStore(dismissedNotices, ({ about }) => about);
  const entries: readonly (NoticeEntry | null)[] = [
    error && { kind: "failure", about: error, content: <Failure error={error} /> },
    quietNotice(safety, controller),
    recoveryNotice(safety),
    troubleNotice(trouble),
    offerNotice(safety, status, controller),
    hiddenNotice(safety, controller),
    storageNotice(safety, controller),
    verdictNotice(verdict, shared, status),
    awaitedNotice(awaited, status, controller),
    openedNotice({ opened, locks, frame }, status),
    versionNotice(change),
    gapNotice(resting, new Set(own.map(({ id }) => id)), resting !== null && changedOnTheWay(controller.events(), resting.config) !== null),
  ];
  const shown = entries.find((entry) => entry !== null && !dismissed.has(entry.about));
  const manners = shown?.kind === "failure" ? { role: "alert", "aria-label": "Failure" } : { role: "status", "aria-label": "Notice" };
  useEffect(() => {
    if (import.meta.env.PROD) void import("../offline.ts").then(({ keepOffline }) => keepOffline());
  }, []);
  return (
    <div className="notices">
      <Framing />
      {shown && (
        <section className="alert" key={shown.kind} {...manners}>
          {shown.content}
        </section>
      )}
    </div>
  );
}

const NEVER: Pick<SharedRun, "getState" | "getInitialState" | "subscribe"> = createStore<SharedRunState>(() => ({ entry: null, fault: null, verdict: null }));

/** Of the run in the link, where there is one. */
const useVerdict = (shared: SharedRun | null): SharedRunState["verdict"] => useStore(shared ?? NEVER, ({ verdict }) => verdict);
