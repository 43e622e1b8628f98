import { useEffect, useState } from "react";
import type { RecordedAttempt } from "#run/gallery/recording.ts";
import type { Json } from "#core/trajectory.ts";
import { actionLabel, labelText, observationText } from "../board/action-label.ts";
import { words } from "../format.ts";
import { Icon, PauseIcon, PlayIcon } from "../icon.tsx";

/** Milliseconds that the whole attempt takes. */
const LENGTH = 6000;

const textAt = (value: Json, key: string): string | null => {
  const found = value !== null && typeof value === "object" && !Array.isArray(value) ? (value as { readonly [name: string]: Json })[key] : undefined;
  return typeof found === "string" ? found : null;
};

interface ReplayProps {
  readonly attempt: RecordedAttempt;
  /** The check that was trained on; null where the reward is no single check. */
  readonly check: string | null;
  readonly title: string;
}

/** A recorded attempt turn by turn, at one's own pace or in six seconds; in the end, who believed it. */
export function Replay({ attempt: { first, turns, checks, monitors, after }, check, title }: ReplayProps) {
  const [shown, setShown] = useState(turns.length);
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => setShown((now) => now + 1), LENGTH / (turns.length + 1));
    return () => clearInterval(timer);
  }, [isPlaying, turns.length]);
  if (isPlaying && shown >= turns.length) setPlaying(false);
  const toggle = (): void => {
    if (!isPlaying && shown >= turns.length) setShown(0);
    setPlaying(!isPlaying);
  };
  const step = (by: number): void => {
    setPlaying(false);
    setShown(Math.max(0, Math.min(turns.length, shown + by)));
  };
  const source = textAt(after, "source");
  return (
    <div className="replay" role="group" aria-label={`Recorded attempt: ${title}`}>
      <div className="replay-bar">
        <button className="btn btn-sm" type="button" onClick={toggle}>
          {isPlaying ? <PauseIcon /> : <PlayIcon />}
          {isPlaying ? "Pause" : "Replay"}
        </button>
        <button className="btn btn-sm btn-icon" type="button" aria-label="Turn back" disabled={shown === 0} onClick={() => step(-1)}>
          <Icon name="left" />
        </button>
        <button className="btn btn-sm btn-icon" type="button" aria-label="Turn on" disabled={shown === turns.length} onClick={() => step(1)}>
          <Icon name="right" />
        </button>
        <span className="note">
          {shown} of {turns.length} turns
        </span>
      </div>
      <p className="replay-first mono">{observationText(first)}</p>
      <ol>
        {turns.map(({ action, observation }, turn) => (
          // Turns have no names but their places.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={turn} data-hidden={turn >= shown ? "" : undefined} aria-current={turn === shown - 1 && shown < turns.length ? "step" : undefined}>
            <b>{labelText(actionLabel(action))}</b>
            <span className="mono">{observationText(observation)}</span>
          </li>
        ))}
      </ol>
      <p className="replay-verdict" data-hidden={shown < turns.length ? "" : undefined}>
        {check !== null && (
          <span>
            <Verdict name={words(check)} isPassed={checks[check] === true} />
          </span>
        )}
        <span>
          <Verdict name="Strict verdict" isPassed={checks["success"] === true} />
        </span>
        {monitors.length > 0 && <span className="note">Monitors: {monitors.map((name) => words(name).toLowerCase()).join(", ")}</span>}
      </p>
      {source !== null && (
        <details>
          <summary>What was handed in</summary>
          <pre>{source}</pre>
        </details>
      )}
    </div>
  );
}

const Verdict = ({ name, isPassed }: { readonly name: string; readonly isPassed: boolean }) => (
  <>
    <Icon name={isPassed ? "confirm" : "close"} />
    {name}: {isPassed ? "passed" : "not passed"}
  </>
);
