import { fixed } from "../format.ts";
import { useLibrary } from "./library.ts";

const UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const;

/** Three digits and a decimal unit. */
function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : fixed(value, value >= 10 ? 0 : 1)} ${UNITS[unit] ?? ""}`;
}

/** What the browser says of the room this page has. */
export function QuotaLine() {
  const quota = useLibrary((state) => state.quota);
  if (quota === null || quota.used === null || quota.allowed === null) return null;
  return (
    <p className="note">
      {size(quota.used)} used of about {size(quota.allowed)}.{" "}
      {quota.isPersistent ? "The browser has promised to keep it." : "The browser may clear it when space is short, or after weeks without a visit: a file is safer."}
    </p>
  );
}
