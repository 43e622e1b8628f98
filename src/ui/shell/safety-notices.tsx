import { Suspense, type ReactNode } from "react";
import type { RunController } from "#store/run-controller.ts";
import type { RunStatus } from "#store/run-state.ts";
import type { Safety } from "#store/safety.ts";
import { sentence } from "../format.ts";
import { saveRun, saveWeights } from "../save-file.ts";
import { Action, Dismiss, Notice } from "./notice.tsx";
import { part } from "../part.tsx";

const MakeRoom = part(() => import("../library/make-room.tsx"));

export interface NoticeEntry {
  readonly kind: string;
  /** Told once: the same thing is not shown again after it was put away. */
  readonly about: unknown;
  readonly content: ReactNode;
}

/** A worker that was killed and one that is only busy look the same from here. */
export function quietNotice({ isQuiet, kept }: Safety, controller: RunController): NoticeEntry | null {
  if (!isQuiet) return null;
  const about = `quiet after ${kept}`;
  const content = (
    <Notice icon="warning" title="The trainer gives no sign">
      <p>
        It may be busy with a very large update, or it was stopped from outside.
        {kept === null ? " Nothing was kept yet." : ` The run was last kept after update ${kept}.`}
      </p>
      <div className="actions">
        {kept === null ? (
          <Action onClick={() => controller.reconnect()}>Restart the trainer</Action>
        ) : (
          <Action isPrimary onClick={() => controller.goOn()}>
            Go on from update {kept}
          </Action>
        )}
        <Dismiss about={about} label="Wait" />
      </div>
    </Notice>
  );
  return { kind: "quiet", about, content };
}

export function recoveryNotice({ recovery }: Safety): NoticeEntry | null {
  if (recovery === null) return null;
  const { update, message, backend } = recovery;
  const from = update === 0 ? "from the start" : `from update ${update}`;
  const isOther = backend !== null && backend.backend !== "webgpu";
  const content = (
    <Notice icon={isOther ? "warning" : "info"} title={backend === null ? "The graphics device was lost" : isOther ? "The run goes on on the CPU" : "The run goes on on a new graphics device"}>
      <p>
        {backend === null && `${sentence(message)} Another one is being looked for; the run goes on ${from} by itself.`}
        {backend !== null && !isOther && `${sentence(message)} The run went on ${from} by itself.`}
        {isOther && `${sentence(backend.reason)} It goes on ${from} in ${backend.arithmetic}, so its numbers now differ slightly from a run on one device.`}
      </p>
      <div className="actions">
        <Dismiss about={recovery} />
      </div>
    </Notice>
  );
  return { kind: "recovery", about: recovery, content };
}

export function offerNotice({ offer }: Safety, status: RunStatus, controller: RunController): NoticeEntry | null {
  if (offer === null || status !== "idle") return null;
  const { update, config, savedAt } = offer;
  const content = (
    <Notice icon="reset" title="A run was left unfinished">
      <p>
        Seed {config.seed}, after update {update} of {config.updates}, {new Date(savedAt).toLocaleString()}. It can go on as if it had never stopped.
      </p>
      <div className="actions">
        <Action isPrimary onClick={() => controller.goOn()}>
          Go on from update {update}
        </Action>
        <Action onClick={() => controller.discardOffer()}>Delete it</Action>
        <Dismiss about={offer} label="Not now" />
      </div>
    </Notice>
  );
  return { kind: "offer", about: offer, content };
}

export function hiddenNotice({ pausedHidden }: Safety, controller: RunController): NoticeEntry | null {
  if (pausedHidden === null) return null;
  const content = (
    <Notice icon="info" title={`Paused after ${pausedHidden} min hidden`}>
      <p>Nobody saw the page, so the run waits.</p>
      <div className="actions">
        <Action isPrimary onClick={() => controller.toggle()}>
          Resume
        </Action>
      </div>
    </Notice>
  );
  return { kind: "hidden", about: "hidden", content };
}

export function storageNotice({ storage, kept }: Safety, controller: RunController): NoticeEntry | null {
  if (storage === null) return null;
  const isFull = storage.reason === "full";
  const content = (
    <Notice icon="info" title={isFull ? "Storage is full" : "Nothing can be stored here"}>
      <p>
        {isFull ? "This browser gives the page no more room; nothing was deleted." : `${sentence(storage.message)}`} The run goes on, but a reload would lose what
        came since. A file keeps what it has told so far, and its weights.
      </p>
      {isFull && (
        <Suspense>
          <MakeRoom onRoom={() => controller.retryStorage()} />
        </Suspense>
      )}
      <div className="actions">
        <Action onClick={() => void saveRun(controller)}>Download the run</Action>
        {kept !== null && <Action onClick={() => void saveWeights(controller, kept)}>Download its weights</Action>}
        <Dismiss about={storage} />
      </div>
    </Notice>
  );
  return { kind: "storage", about: storage, content };
}
