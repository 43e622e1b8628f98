import { useId, useRef, useState } from "react";
import { copyText } from "../copy-text.ts";

interface CopyFieldProps {
  readonly label: string;
  readonly action: string;
  readonly value: string;
  readonly note?: string;
  readonly isPrimary?: boolean;
}

/** A text to take away: selected when it has the focus, and copied by a button where the browser lets the page. */
export function CopyField({ label, action, value, note, isPrimary = false }: CopyFieldProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState("");
  const copy = async (): Promise<void> => {
    field.current?.select();
    setSaid((await copyText(value)) ? "Copied." : "This browser does not let the page copy: the text is selected, copy it by hand.");
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="copy-row">
        <input className="input" id={id} readOnly value={value} ref={field} aria-describedby={`${id}-note`} onFocus={(event) => event.target.select()} />
        <button className={isPrimary ? "btn btn-primary" : "btn"} type="button" data-first={isPrimary ? "" : undefined} onClick={() => void copy()}>
          {action}
        </button>
      </div>
      <small id={`${id}-note`}>
        {note} <span role="status">{said}</span>
      </small>
    </div>
  );
}
