import type { ReactNode } from "react";
import { fixed } from "../format.ts";

export interface ScoreRow {
  readonly key: string;
  readonly label: ReactNode;
  /** Mean reward of an attempt in training. */
  readonly score: number;
  /** Success on held-out tasks. */
  readonly heldout: number;
  /** Share of held-out attempts with the hack; null where nobody counted. */
  readonly hack: number | null;
}

interface ScoresProps {
  readonly caption: string;
  readonly rows: readonly ScoreRow[];
  /** Scores above 1 are points, not shares. */
  readonly scale: "share" | "points";
}

/** Training score beside held-out success, a bar each on one scale, with their numbers. */
export function Scores({ caption, rows, scale }: ScoresProps) {
  const most = Math.max(1, ...rows.map(({ score }) => score));
  const counted = rows.some(({ hack }) => hack !== null);
  return (
    <table className="scores">
      <caption className="vh">{caption}</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">{scale === "points" ? "Paid in training" : "Training score"}</th>
          <th scope="col">Held-out success</th>
          {counted && <th scope="col">Does the hack</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, label, score, heldout, hack }) => (
          <tr key={key}>
            <th scope="row">{label}</th>
            <td>
              <Bar share={score / most} kind="paid" />
              {fixed(score)}
            </td>
            <td>
              <Bar share={heldout / most} kind="true" />
              {fixed(heldout)}
            </td>
            {counted && <td>{hack === null ? "" : fixed(hack)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Bar = ({ share, kind }: { readonly share: number; readonly kind: "paid" | "true" }) => (
  <span className={`score-bar score-bar-${kind}`} aria-hidden="true">
    <span style={{ inlineSize: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
  </span>
);
