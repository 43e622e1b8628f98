import { gzipSync } from "fflate";
import type { PolicyState } from "#engine/policy-backend.ts";
import type { RunEvent } from "#run/run-event.ts";
import type { RunSnapshot } from "#run/run-snapshot.ts";

/** What a run file carries beside the events. */
export interface RunFileExtras {
  /** What a person called the run; "" for nothing. */
  readonly title: string;
  readonly note: string;
  /** Right after the last `update` event: with it the run can go on. */
  readonly snapshot: RunSnapshot | null;
}

/** First line of a run file: 1 has the events and nothing else. */
export type RunFileHeader =
  | { readonly format: "turnwise-run"; readonly version: 1; readonly events: number }
  | { readonly format: "turnwise-run"; readonly version: 2; readonly events: number; readonly title: string; readonly note: string; readonly hasSnapshot: boolean };

/** Numbers of 32 bits in base64, little-endian. */
export type PackedState = { readonly step: number } & { readonly [K in "weights" | "first" | "second"]: string };

/**
 * Gzip of JSON lines: a header, the events in order, then with `extras` a snapshot if there is one, its numbers in base64. Byte-equal for equal
 * runs.
 */
export function writeRunFile(events: readonly RunEvent[], extras: RunFileExtras | null = null): Uint8Array<ArrayBuffer> {
  const header: RunFileHeader =
    extras === null
      ? { format: "turnwise-run", version: 1, events: events.length }
      : { format: "turnwise-run", version: 2, events: events.length, title: extras.title, note: extras.note, hasSnapshot: extras.snapshot !== null };
  const last = extras?.snapshot == null ? [] : [packed(extras.snapshot)];
  const text = [header, ...events, ...last].map((line) => `${JSON.stringify(line)}\n`).join("");
  return new Uint8Array(gzipSync(new TextEncoder().encode(text), { level: 6, mtime: 0 }));
}

/** Without the name, which storage gives. */
function packed({ config, arithmetic, update, trajectories, tokens, policy, networks }: RunSnapshot): object {
  const states = Object.entries(networks ?? {}).map(([network, state]) => [network, packedState(state)] as const);
  return { config, arithmetic, update, trajectories, tokens, policy: packedState(policy), ...(networks === undefined ? {} : { networks: Object.fromEntries(states) }) };
}

const packedState = ({ weights, first, second, step }: PolicyState): PackedState => ({ weights: packedNumbers(weights), first: packedNumbers(first), second: packedNumbers(second), step });

/** Arguments of one call of `fromCharCode`: engines allow some 100,000. */
const PIECE = 32_768;

function packedNumbers(numbers: Float32Array): string {
  const bytes = new Uint8Array(numbers.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of numbers.entries()) view.setFloat32(index * 4, value, true);
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text);
}
