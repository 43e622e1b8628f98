import type { Json } from "#core/trajectory.ts";
import { quoted } from "#core/untrusted-json.ts";

/** What became of one case of a file. */
export interface CaseResult {
  readonly id: string | number;
  readonly passed: boolean;
  /** Further fields of the JSON line. */
  readonly fields: Readonly<Record<string, Json>>;
  /** The same for a person, after the id. */
  readonly text: string;
}

/** Writes one line a case and a last one that counts them. @returns the exit code: 1 when a case fell short. */
export function report(results: Iterable<CaseResult>, json: boolean): number {
  const count = { checked: 0, passed: 0, failed: 0 };
  for (const { id, passed, fields, text } of results) {
    count.checked += 1;
    count[passed ? "passed" : "failed"] += 1;
    process.stdout.write(json ? `${JSON.stringify({ id, passed, ...fields })}\n` : `${passed ? "pass" : "FAIL"} ${shown(id)}${text === "" ? "" : `  ${text}`}\n`);
  }
  process.stdout.write(json ? `${JSON.stringify(count)}\n` : `${count.checked} checked, ${count.passed} passed, ${count.failed} failed\n`);
  return count.failed > 0 ? 1 : 0;
}

/** An id comes from a file: nothing of it may reach the terminal as a command. */
const shown = (id: string | number): string => (typeof id === "string" ? quoted(id).slice(1, -1) : String(id));
