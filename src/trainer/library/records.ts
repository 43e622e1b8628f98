import * as v from "valibot";
import { ARITHMETICS, type Arithmetic } from "#core/policy.ts";
import { parseRunConfig, type RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import type { RunSnapshot } from "#run/run-snapshot.ts";
import { changedAfter } from "#run/settings-changes.ts";

/** To be raised, with a migration, whenever what is kept of a run changes its shape. */
export const SCHEMA = 3;

/** "under-way": to be rescued when its page has ended. "stopped": given up by a person, still to be gone on with. */
export type Standing = "under-way" | "stopped" | "finished";

/** What the list of runs needs to know of one: small, kept apart from its events and weights. */
export interface RunRecord {
  readonly schema: typeof SCHEMA;
  readonly name: string;
  /** Given by a person; "" for the name that its settings give it. */
  readonly title: string;
  readonly note: string;
  readonly isPinned: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly savedAt: number;
  readonly update: number;
  /** What it goes on under. */
  readonly config: RunConfig;
  readonly standing: Standing;
  readonly arithmetic: Arithmetic;
  /** The newest evaluation on held-out tasks. */
  readonly heldout: { readonly update: number; readonly passHat1: number } | null;
  /** The updates after which settings were changed, ascending; of runs from before that was told, none. */
  readonly changedAfter: readonly number[];
  readonly hasWeights: boolean;
  /** Whether it came out of a file. */
  readonly isImported: boolean;
  /** Who wrote last: another writer's claim takes it over, and what the first one still writes is refused. */
  readonly writer: string;
  /** Put away by a person, who may still want it back. */
  readonly deletedAt: number | null;
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const moment = v.pipe(v.number(), v.finite());
const config = v.pipe(v.unknown(), v.transform(parseRunConfig));

const recordSchema: v.GenericSchema<unknown, RunRecord> = v.strictObject({
  schema: v.literal(SCHEMA),
  name: v.string(),
  title: v.string(),
  note: v.string(),
  isPinned: v.boolean(),
  createdAt: moment,
  savedAt: moment,
  update: count,
  config,
  standing: v.picklist(["under-way", "stopped", "finished"]),
  arithmetic: v.picklist(ARITHMETICS),
  heldout: v.nullable(v.strictObject({ update: count, passHat1: v.pipe(v.number(), v.finite()) })),
  changedAfter: v.array(count),
  hasWeights: v.boolean(),
  isImported: v.boolean(),
  writer: v.string(),
  deletedAt: v.nullable(moment),
});

/** Schema 1: what pages kept when a run was there to be rescued only. */
const firstSchema = v.object({ shape: v.literal(1), name: v.string(), savedAt: moment, update: count, config: v.unknown(), isOver: v.exactOptional(v.literal(true)) });

/** From schema n, at place n − 1, to n + 1. Pure; fixtures of every old schema are in the tests. */
const MIGRATIONS: readonly ((old: unknown) => unknown)[] = [
  (old) => {
    const { name, savedAt, update, config: settings, isOver } = v.parse(firstSchema, old);
    return {
      schema: 2, name, title: "", note: "", isPinned: false, createdAt: savedAt, savedAt, update, config: settings, standing: isOver ? "finished" : "under-way",
      arithmetic: "simd128", heldout: null, hasWeights: true, isImported: false, writer: "", deletedAt: null,
    };
  },
  (old) => ({ ...v.parse(v.looseObject({ schema: v.literal(2) }), old), schema: 3, changedAfter: [] }),
];

function schemaOf(raw: unknown): number {
  if (typeof raw !== "object" || raw === null) return 0;
  if ("schema" in raw) return typeof raw.schema === "number" ? raw.schema : 0;
  return "shape" in raw && raw.shape === 1 ? 1 : 0;
}

/** A record of any schema so far. Null for what this page cannot read: it is left alone, never deleted. */
export function readRecord(raw: unknown): RunRecord | null {
  try {
    const from = schemaOf(raw);
    if (from === 0) return null;
    return v.parse(recordSchema, MIGRATIONS.slice(from - 1).reduce((record, migrate) => migrate(record), raw));
  } catch {
    return null;
  }
}

const floats = v.custom<Float32Array<ArrayBuffer>>((value) => value instanceof Float32Array && value.buffer instanceof ArrayBuffer);
const stateSchema = v.strictObject({ weights: floats, first: floats, second: floats, step: count });
const snapshotSchema = v.strictObject({
  name: v.string(),
  config,
  arithmetic: v.picklist(ARITHMETICS),
  update: count,
  trajectories: count,
  tokens: count,
  policy: stateSchema,
  networks: v.exactOptional(v.strictObject({ critic: v.exactOptional(stateSchema), implicit: v.exactOptional(stateSchema), rewarding: v.exactOptional(stateSchema) })),
});

/** Null for what no page of this kind wrote. */
export function readSnapshot(raw: unknown): RunSnapshot | null {
  const parsed = (() => {
    try {
      return v.safeParse(snapshotSchema, raw);
    } catch {
      return null;
    }
  })();
  return parsed?.success === true ? parsed.output : null;
}

/** What of a record follows from the run's events. */
export type Told = Pick<RunRecord, "heldout" | "changedAfter">;

export const NOTHING_TOLD: Told = { heldout: null, changedAfter: [] };

/** What these events tell, with what was known before them. */
export function toldAfter(events: readonly RunEvent[], before: Told): Told {
  let { heldout } = before;
  for (const event of events) {
    const report = event.type === "run-finished" ? event.heldout : event.type === "evaluation" && event.subject !== "prompted" && event.report.split === "heldout" ? event.report : null;
    const passHat1 = report?.passHatK[0];
    if (passHat1 !== undefined) heldout = { update: event.type === "run-finished" ? event.updates : "update" in event ? event.update : 0, passHat1 };
  }
  return { heldout, changedAfter: [...new Set([...before.changedAfter, ...changedAfter(events)])] };
}
