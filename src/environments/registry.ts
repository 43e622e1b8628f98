import type { GenericSchema } from "valibot";
import { DEFAULTS as SANDBOX_DEFAULTS, SCHEMA as SANDBOX_SCHEMA } from "./js-sandbox/config.ts";
import { DEFAULTS, SCHEMA } from "./refund-desk/config.ts";
import { DEFAULTS as SOKOBAN_DEFAULTS, largestBoard, SCHEMA as SOKOBAN_SCHEMA } from "./sokoban/config.ts";

interface EnvironmentEntry {
  readonly id: string;
  readonly title: string;
  /** Of the configuration; `defaults` satisfy it. */
  readonly schema: GenericSchema;
  readonly defaults: object;
  /** Of its verdicts, by name: what a reward may pay for. The strict one, "success", is first. */
  readonly checks: readonly ["success", ...string[]];
  /** Tools that ask somebody something: a good question may be worth more than what came of it. */
  readonly questions: readonly string[];
  /** Settings that came later: an older configuration that lacks them has their defaults. */
  readonly later?: readonly string[];
  /** The most there may be to write of an observation, where that grows with the settings: a policy has to have room for it. */
  board?(settings: object): BoardSize;
}

/** Cells of an observed grid, those of them that do not hold its commonest word, and tokens of the longest action. */
interface BoardSize {
  readonly cells: number;
  readonly marked: number;
  readonly action: number;
}

/** What settings and forms say of an environment. What it does stands in `implementations.ts`: the page never loads that. */
export const ENVIRONMENTS = {
  "refund-desk": { id: "refund-desk", title: "Refund desk", schema: SCHEMA, defaults: DEFAULTS, checks: ["success", "naive", "eligible"], questions: ["ask_customer"] },
  sokoban: { id: "sokoban", title: "Sokoban", schema: SOKOBAN_SCHEMA, defaults: SOKOBAN_DEFAULTS, checks: ["success", "some-box"], questions: [], later: ["plays"], board: largestBoard },
  "js-sandbox": { id: "js-sandbox", title: "JavaScript repair", schema: SANDBOX_SCHEMA, defaults: SANDBOX_DEFAULTS, checks: ["success", "naive", "visible", "properties"], questions: [] },
} as const satisfies Record<string, EnvironmentEntry>;

/** Undefined where observations are short whatever the settings. */
export function largestBoardOf({ id, ...settings }: { readonly id: keyof typeof ENVIRONMENTS }): BoardSize | undefined {
  const entry: EnvironmentEntry = ENVIRONMENTS[id];
  return entry.board?.(settings);
}

/** An environment's settings as they were before some of them came: those with their defaults; anything else as it is. */
export function withLaterSettings(settings: unknown): unknown {
  if (typeof settings !== "object" || settings === null || !("id" in settings)) return settings;
  const { id } = settings;
  const entry: EnvironmentEntry | undefined = Object.values(ENVIRONMENTS).find((known) => known.id === id);
  return entry?.later === undefined ? settings : { ...Object.fromEntries(Object.entries(entry.defaults).filter(([name]) => entry.later?.includes(name))), ...settings };
}
