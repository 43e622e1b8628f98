import { useEffect, useState } from "react";
import { titleOf } from "#store/library-store.ts";
import type { StoredRun } from "#trainer/library/run-library.ts";
import { sentence } from "../format.ts";
import { Action } from "../shell/notice.tsx";
import { library } from "./library.ts";

/** What is known of the oldest run that is not pinned. */
type Oldest = { readonly kind: "asked" } | { readonly kind: "failed"; readonly message: string } | { readonly kind: "known"; readonly run: StoredRun | null };

const failed = (error: unknown): Oldest => ({ kind: "failed", message: error instanceof Error ? error.message : String(error) });

/** Storage is full: the oldest run that is not pinned may go, and goes only when a person says so. Then the next one is offered. */
export default function MakeRoom({ onRoom }: { readonly onRoom: () => void }) {
  const [oldest, setOldest] = useState<Oldest>({ kind: "asked" });
  const [gone, setGone] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    void library.oldest().then((run): Oldest => ({ kind: "known", run }), failed).then((answer) => isCurrent && setOldest(answer));
    return () => {
      isCurrent = false;
    };
  }, [gone]);
  if (oldest.kind === "asked") return null;
  if (oldest.kind === "failed") return <p>{`The stored runs cannot be read: ${sentence(oldest.message)}`}</p>;
  if (oldest.run === null) return <p>No other run is stored that is not pinned.</p>;
  const { run } = oldest;
  const remove = async (): Promise<void> => {
    const fault = await library.purge(run.name);
    if (fault !== null) {
      setOldest({ kind: "failed", message: fault.message });
      return;
    }
    setGone(gone + 1);
    onRoom();
  };
  return (
    <div className="actions">
      <Action onClick={() => void remove()}>
        Delete the oldest run: {titleOf(run)}, {new Date(run.savedAt).toLocaleDateString()}
      </Action>
      <a className="btn btn-quiet" href="#/runs">
        Choose among the runs
      </a>
    </div>
  );
}
