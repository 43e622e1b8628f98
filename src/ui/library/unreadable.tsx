import type { Listing } from "#trainer/library/run-library.ts";
import { Icon } from "../icon.tsx";
import { saveText } from "../save-file.ts";

/** What this version cannot read is left as it lies there; it can be taken away as it is. */
export function Unreadable({ entries }: { readonly entries: Listing["unreadable"] }) {
  if (entries.length === 0) return null;
  return (
    <div className="notice runs-unreadable">
      <Icon name="info" />
      <h3>{entries.length === 1 ? "One run cannot be read by this version" : `${entries.length} runs cannot be read by this version`}</h3>
      <p>They were kept by a newer one, or by one whose settings are not known any more. Nothing was changed or deleted.</p>
      <div className="actions">
        <button className="btn" type="button" onClick={() => saveText(JSON.stringify(entries, null, 2), "turnwise-unreadable-runs.json", "application/json")}>
          Download what is known of them
        </button>
      </div>
    </div>
  );
}
