import { useId } from "react";
import { FRAME_PANELS, FRAME_THEMES, LOCK_IDS, LOCKS, type FramePanel, type FrameTheme, type LockId } from "#share/link-extras.ts";
import { FRAME_HEIGHT, frameSnippet } from "#share/snippet.ts";
import { CopyField } from "./copy-field.tsx";

interface LocksProps {
  readonly locks: readonly LockId[];
  readonly onChange: (locks: readonly LockId[]) => void;
}

/** For a class: which controls the link holds still. */
export const Locks = ({ locks, onChange }: LocksProps) => (
  <details className="share-more">
    <summary>Lock controls for a class{locks.length > 0 ? ` (${locks.length})` : ""}</summary>
    <p>Who opens the link sees these controls locked, and why. It keeps a class together; it is no permission: anybody can unlock them.</p>
    <fieldset className="share-locks">
      <legend className="vh">Controls to lock</legend>
      {LOCK_IDS.map((id) => (
        <label key={id}>
          <input
            type="checkbox"
            checked={locks.includes(id)}
            onChange={({ target }) => onChange(LOCK_IDS.filter((known) => (known === id ? target.checked : locks.includes(known))))}
          />
          {LOCKS[id].title}
        </label>
      ))}
    </fieldset>
  </details>
);

export interface FrameChoice {
  readonly panel: FramePanel;
  readonly theme: FrameTheme;
  readonly height: number;
}

interface EmbeddingProps {
  readonly choice: FrameChoice;
  /** The link with the frame in it. */
  readonly address: string;
  readonly onChange: (choice: FrameChoice) => void;
}

const isKey = <T extends object>(among: T, text: string): text is keyof T & string => Object.hasOwn(among, text);

/** One panel in somebody else's page. */
export function Embedding({ choice, address, onChange }: EmbeddingProps) {
  const id = useId();
  const { panel, theme, height } = choice;
  const within = Math.min(FRAME_HEIGHT.most, Math.max(FRAME_HEIGHT.least, height || FRAME_HEIGHT.usual));
  return (
    <details className="share-more">
      <summary>Embed in a page</summary>
      <div className="share-row">
        <div className="field">
          <label htmlFor={`${id}-panel`}>Panel</label>
          <select className="select" id={`${id}-panel`} value={panel} onChange={({ target: { value } }) => isKey(FRAME_PANELS, value) && onChange({ ...choice, panel: value })}>
            {Object.entries(FRAME_PANELS).map(([key, title]) => <option key={key} value={key}>{title}</option>)}
          </select>
        </div>
        <div className="field">
          <label htmlFor={`${id}-theme`}>Theme</label>
          <select className="select" id={`${id}-theme`} value={theme} onChange={({ target: { value } }) => isKey(FRAME_THEMES, value) && onChange({ ...choice, theme: value })}>
            {Object.entries(FRAME_THEMES).map(([key, title]) => <option key={key} value={key}>{title}</option>)}
          </select>
        </div>
        <div className="field">
          <label htmlFor={`${id}-height`}>Height, pixels</label>
          <input
            className="input" id={`${id}-height`} type="number" min={FRAME_HEIGHT.least} max={FRAME_HEIGHT.most} step={20}
            value={height === 0 ? "" : height} onChange={({ target: { value } }) => onChange({ ...choice, height: Number(value) })}
          />
        </div>
      </div>
      <CopyField label="HTML" action="Copy HTML" value={address === "" ? "" : frameSnippet(address, panel, within)} note={`${within} pixels high. It loads this page, nothing else.`} />
    </details>
  );
}
