import { useEffect, useState } from "react";
import { titleOf } from "#store/library-store.ts";
import type { StoredRun } from "#trainer/library/run-library.ts";
import { Action } from "../shell/notice.tsx";
import { library } from "./library.ts";

/** Storage is full: the oldest run that is not pinned may go, and goes only when a person says so. Then the next one is offered. */
export default function MakeRoom({ onRoom }: { readonly onRoom: () => void }) {
  const [oldest, setOldest] = useState<StoredRun | null>(null);
  const [gone, setGone] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    void library.oldest().catch(() => null).then((run) => isCurrent && setOldest(run));
    return () => {
      isCurrent = false;
    };
  }, [gone]);
  if (oldest === null) return <p>No other run is stored that is not pinned.</p>;
  const title = `${titleOf(oldest)}, ${new Date(oldest.savedAt).toLocaleDateString()}`;
  const remove = async (): Promise<void> => {
    await library.purge(oldest.name);
    setGone(gone + 1);
    onRoom();
  };
  return (
    <div className="actions">
      <Action onClick={() => void remove()}>Delete the oldest run: {title}</Action>
      <a className="btn btn-quiet" href="#/runs">
        Choose among the runs
      </a>
    </div>
  );
}
