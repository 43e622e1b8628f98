import { gzipSync } from "fflate";
import type { RunEvent } from "#run/run-event.ts";

/** First line of a run file. */
interface RunFileHeader {
  readonly format: "turnwise-run";
  readonly version: 1;
  readonly events: number;
}

/** Gzip of JSON lines: a header, then the events in order. Byte-equal for equal events. */
export function writeRunFile(events: readonly RunEvent[]): Uint8Array {
  const header: RunFileHeader = { format: "turnwise-run", version: 1, events: events.length };
  const text = [header, ...events].map((line) => `${JSON.stringify(line)}\n`).join("");
  return gzipSync(new TextEncoder().encode(text), { level: 6, mtime: 0 });
}

