import * as v from "valibot";
import { BoundaryError, FileError } from "#core/errors.ts";
import { quoted, readUntrustedJson } from "#core/untrusted-json.ts";
import type { PolicyState } from "#engine/policy-backend.ts";
import type { RunEvent } from "#run/run-event.ts";
import type { NetworkStates, RunSnapshot } from "#run/run-snapshot.ts";
import type { PackedState, RunFileExtras, RunFileHeader } from "./run-file.ts";
import { differingPart, RunChecks } from "./run-file-checks.ts";
import { eventSchema, headerSchema, packedSnapshotSchema } from "./run-file-schema.ts";

/** In bytes. Packed, and unpacked: a gzip of a few kB may hold gigabytes. */
export const MAX_RUN_FILE = 48 * 1024 * 1024;
const MAX_RUN_TEXT = 192 * 1024 * 1024;
/** In characters: an event's line, and the snapshot's. */
const MAX_LINE = 4_000_000;
const MAX_SNAPSHOT = 96_000_000;
/** Bytes that are unpacked at once: of a bomb they are at most a thousand times as many. */
const PIECE = 1_024;
/** Bytes of text after which others get a turn. */
const BREATH = 100_000;

export interface RunFile extends RunFileExtras {
  readonly events: readonly RunEvent[];
}

export interface ReadOptions {
  /** Lets others have a turn: a large file takes seconds in all. */
  breathe(): Promise<void>;
}

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/**
 * Reads what `writeRunFile` wrote, from anybody, a piece at a time.
 * @throws FileError that says what was got and what is allowed
 */
export async function readRunFile(bytes: Uint8Array<ArrayBuffer>, { breathe }: ReadOptions): Promise<RunFile> {
  if (bytes.length > MAX_RUN_FILE) throw new FileError(`the file has ${bytes.length} bytes; at most ${MAX_RUN_FILE} are read`);
  if (!isGzip(bytes)) throw new FileError("the file is not a run file: those are packed with gzip");
  let header: RunFileHeader | null = null;
  const checks = new RunChecks();
  const events: RunEvent[] = [];
  let snapshot: RunSnapshot | null = null;
  const isSnapshotNext = (): boolean => header?.version === 2 && header.hasSnapshot && events.length === header.events;
  for await (const { line, number } of linesOf(bytes, () => (isSnapshotNext() ? MAX_SNAPSHOT : MAX_LINE), breathe)) {
    if (header === null) header = readLine(headerSchema, line, number, MAX_LINE);
    else if (events.length < header.events) {
      const event = readLine(eventSchema, line, number, MAX_LINE);
      checks.take(event);
      events.push(event);
    } else if (header.version === 2 && header.hasSnapshot && snapshot === null) snapshot = unpacked(readLine(packedSnapshotSchema, line, number, MAX_SNAPSHOT), checks);
    else throw new FileError(`line ${number} is one more than the header tells of`);
  }
  if (header === null) throw new FileError("the file is empty");
  if (events.length < header.events) throw new FileError(`the file ends after ${events.length} of ${header.events} events`);
  if (events.length === 0) throw new FileError("the file holds no event");
  if (header.version === 2 && header.hasSnapshot && snapshot === null) throw new FileError("the file ends before its weights");
  return header.version === 2 ? { title: header.title, note: header.note, snapshot, events } : { title: "", note: "", snapshot: null, events };
}

/** The lines of the unpacked text, counted from 1; never more of it at once than a line and a piece. */
async function* linesOf(bytes: Uint8Array<ArrayBuffer>, maxLength: () => number, breathe: () => Promise<void>): AsyncGenerator<{ readonly line: string; readonly number: number }> {
  const reader = piecesOf(bytes).pipeThrough(new DecompressionStream("gzip")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest: string[] = [];
  let held = 0;
  let size = 0;
  let number = 0;
  let since = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new FileError("the file is damaged or cut off: its packing does not hold");
      });
      size += value?.length ?? 0;
      if ((since += value?.length ?? 0) > BREATH) {
        since = 0;
        await breathe();
      }
      if (size > MAX_RUN_TEXT) throw new FileError(`the file unpacks to more than ${MAX_RUN_TEXT} bytes, which is as much as is read`);
      const pieces = decode(decoder, value).split("\n");
      for (const [index, piece] of pieces.entries()) {
        rest.push(piece);
        held += piece.length;
        if (held > maxLength()) throw new FileError(`line ${number + 1} is longer than ${maxLength()} characters`);
        if (index === pieces.length - 1) break;
        yield { line: rest.join(""), number: (number += 1) };
        [rest, held] = [[], 0];
      }
      if (done) break;
    }
    if (held > 0) throw new FileError("the file ends in the middle of a line");
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** One small piece whenever one is wanted: what a large one unpacks to would come at once. */
function piecesOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull: (controller) => {
      controller.enqueue(bytes.slice(at, at + PIECE));
      at += PIECE;
      if (at >= bytes.length) controller.close();
    },
  }, { highWaterMark: 0 });
}

function decode(decoder: InstanceType<typeof TextDecoder>, value: Uint8Array | undefined): string {
  try {
    return value === undefined ? decoder.decode() : decoder.decode(value, { stream: true });
  } catch {
    throw new FileError("the file is not text in UTF-8");
  }
}

/** Where a value is that does not fit, what it is, and what is allowed. */
function complaint(issue: v.BaseIssue<unknown>): string {
  const path = (issue.path ?? []).map(({ key }) => String(key)).join(".");
  const message = issue.message.replace(/^Invalid \w+: /, "");
  return `${path === "" ? "it" : quoted(path, 120).slice(1, -1)}: ${quoted(message, 200).slice(1, -1).replaceAll('\\"', '"')}`;
}

function readLine<T>(schema: v.GenericSchema<unknown, T>, line: string, number: number, maxLength: number): T {
  const name = `line ${number}`;
  try {
    const parsed = v.safeParse(schema, readUntrustedJson(line, { name, maxLength }), { abortEarly: true });
    if (parsed.success) return parsed.output;
    throw new FileError(`${name} is not what a run file has there: ${complaint(parsed.issues[0])}`);
  } catch (error) {
    if (error instanceof FileError || !(error instanceof BoundaryError)) throw error;
    throw new FileError(error.message.startsWith(name) ? error.message : `${name}: ${error.message}`);
  }
}

function unpacked(packed: v.InferOutput<typeof packedSnapshotSchema>, checks: RunChecks): RunSnapshot {
  const { policy, networks, ...rest } = packed;
  if (packed.update !== checks.update) throw new FileError(`the weights are of update ${packed.update}, the run stands at ${checks.update}`);
  if (packed.update === 0) throw new FileError("the weights are of update 0; a run goes on from an update");
  const wrong = differingPart(checks.config, packed.config);
  if (wrong !== undefined) throw new FileError(`the weights belong to another ${wrong} than the run`);
  const states: NetworkStates = Object.fromEntries(Object.entries(networks ?? {}).map(([name, state]) => [name, stateOf(state, `the network ${name}`)]));
  return { ...rest, name: "", policy: stateOf(policy, "the policy"), ...(networks === undefined ? {} : { networks: states }) };
}

function stateOf({ weights, first, second, step }: PackedState, what: string): PolicyState {
  const [w, f, s] = [weights, first, second].map((text) => numbersOf(text, what));
  if (w === undefined || f === undefined || s === undefined || f.length !== w.length || s.length !== w.length) throw new FileError(`the optimiser of ${what} has other sizes than its weights`);
  return { weights: w, first: f, second: s, step };
}

function numbersOf(packed: string, what: string): Float32Array<ArrayBuffer> {
  let text: string;
  try {
    text = atob(packed);
  } catch {
    throw new FileError(`the numbers of ${what} are not base64`);
  }
  if (text.length % 4 !== 0) throw new FileError(`the numbers of ${what} are cut off`);
  const view = new DataView(new ArrayBuffer(text.length));
  for (let index = 0; index < text.length; index += 1) view.setUint8(index, text.charCodeAt(index));
  const numbers = new Float32Array(text.length / 4);
  for (let index = 0; index < numbers.length; index += 1) numbers[index] = view.getFloat32(index * 4, true);
  if (!numbers.every(Number.isFinite)) throw new FileError(`${what} holds numbers that are not finite`);
  return numbers;
}
