import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import { isCreditId } from "#store/credit-board.ts";
import { useWorkbench } from "../../workbench-context.ts";
import type { FocusRow } from "./rows.ts";

/** Any other scheme, drawn by the same row; what it needs is computed for this group. */
export function MoreSchemes({ rows }: { readonly rows: readonly FocusRow[] }) {
  const { board } = useWorkbench();
  const left = Object.values(CREDIT_ASSIGNERS).filter(({ id }) => id !== "truth" && id !== "dial" && !rows.some((row) => row.id === id));
  return (
    <select
      className="select select-sm more-schemes"
      aria-label="More schemes"
      value=""
      onChange={({ target: { value } }) => {
        if (isCreditId(value)) board.add(value);
      }}
    >
      <option value="" disabled>
        More schemes
      </option>
      {left.map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </select>
  );
}
