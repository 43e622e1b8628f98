import { ConfigError } from "#core/errors.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import type { RunSnapshot } from "#run/run-snapshot.ts";
import { settingsAt, settingsOf, settingsSteps } from "#run/settings-changes.ts";
import type { RunController } from "#store/run-controller.ts";
import type { StoredRun } from "#trainer/library/run-library.ts";
import { words } from "../format.ts";
import { library } from "../library/library.ts";

/** What files are made of. */
export interface ExportSource {
  readonly title: string;
  readonly note: string;
  readonly config: RunConfig;
  readonly events: readonly RunEvent[];
  /** Of the last update of the events; null where its weights are not known. */
  readonly snapshot: RunSnapshot | null;
}

const lastUpdate = (events: readonly RunEvent[]): number => events.findLast((event) => event.type === "update")?.update ?? 0;

function sourceOf(about: Pick<ExportSource, "title" | "note">, events: readonly RunEvent[], snapshot: RunSnapshot | null): ExportSource | null {
  const last = snapshot !== null && snapshot.update === lastUpdate(events) ? snapshot : null;
  const config = settingsOf(events, last);
  return config && { ...about, config, events, snapshot: last };
}

/** The run on screen as it is now, wherever it goes on to; null before it has told anything. */
export const liveSource = (controller: RunController): ExportSource | null => sourceOf({ title: "", note: "" }, [...controller.events()], controller.snapshot());

/** @throws ConfigError where the run cannot be read any more */
export async function storedSource({ name, title, note }: StoredRun): Promise<ExportSource> {
  const run = await library.load(name);
  const source = run === null ? null : sourceOf({ title, note }, run.events, run.snapshot);
  if (source === null) throw new ConfigError("the stored run cannot be read any more");
  return source;
}

/** Tokens are counted in the run's own words: only its first event says how many there are. */
export function vocabularyOf({ events }: ExportSource): number {
  const started = events.find((event) => event.type === "run-started");
  return started?.vocabulary ?? 0;
}

/** What the run was trained with up to an update: "Flat", or "Flat up to update 52, then Dial". */
export function creditsUpTo({ config, events }: ExportSource, update: number): string {
  const name = (settings: RunConfig): string => words(settings.algorithm.credit.id);
  const steps = settingsSteps(events).filter((step) => step.update < update && name(step.before) !== name(step.after));
  return steps.reduce((told, step) => `${told} up to update ${step.update}, then ${name(step.after)}`, name(settingsAt(config, events, steps[0]?.update ?? update)));
}
