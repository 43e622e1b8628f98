import { useState } from "react";
import type { OwnExhibit } from "#store/own-exhibits.ts";
import { gapCause } from "#store/reward-gap.ts";
import { copyText } from "../copy-text.ts";
import { fixed } from "../format.ts";
import { ownExhibits } from "./own.ts";
import { Scores } from "./scores.tsx";

const CAUSES = {
  check: "The check believes too much: on the very attempts that it paid for, the strict verdict was lower.",
  tasks: "The check agrees with the strict verdict on the attempts that it paid for: what was learnt does not carry over to tasks held out.",
} as const;

/** The heading of the list of these. */
export const OWN_TITLE = "own-title";

/** A run of this person's, kept in this browser. */
export function OwnCard({ exhibit: { id, addedAt, link, preset, check, points } }: { readonly exhibit: OwnExhibit }) {
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return null;
  const copy = async (): Promise<void> => setCopied((await copyText(new URL(link, location.href).href)) ? "yes" : "failed");
  const remove = (): void => {
    ownExhibits.remove(id);
    // The button goes with the card.
    document.getElementById(OWN_TITLE)?.focus();
  };
  const title = `${preset}, paid for ${check}`;
  return (
    <article className="panel exhibit" aria-labelledby={`own-${id}`}>
      <header>
        <h2 id={`own-${id}`}>{title}</h2>
        <p className="note">{new Date(addedAt).toLocaleDateString()}</p>
      </header>
      <Scores
        caption={`Your run: ${title}`}
        scale="share"
        rows={[first, last].filter((point, index, all) => all.indexOf(point) === index).map(({ update, score, heldout }) => ({ key: String(update), label: `Update ${update}`, score, heldout, hack: null }))}
      />
      <p>{CAUSES[gapCause(last)]}</p>
      <p className="note">Strict success of the attempts trained on: {fixed(last.success)}.</p>
      <div className="actions">
        <a className="btn" href={link}>
          Open its settings
        </a>
        <button className="btn" type="button" onClick={() => void copy()}>
          Copy its link
        </button>
        <button className="btn btn-quiet" type="button" onClick={remove}>
          Delete<span className="vh"> {title}</span>
        </button>
        <span className="note" role="status">
          {copied === "yes" && "Copied."}
          {copied === "failed" && "The browser did not allow it: open the settings and copy the address."}
        </span>
      </div>
    </article>
  );
}
