import type { LinkNote, Parameter } from "./link-settings.ts";

/** Regions of the workbench that a frame in another page can show. */
export const FRAME_PANELS = { credit: "Credit board", curves: "Curves", why: "Story", recipe: "Recipe" } as const;
export const FRAME_THEMES = { system: "As the reader's system", light: "Light", dark: "Dark" } as const;

export type FramePanel = keyof typeof FRAME_PANELS;
export type FrameTheme = keyof typeof FRAME_THEMES;

/** Stands in somebody else's page. */
export interface LinkFrame {
  readonly panel: FramePanel;
  readonly theme: FrameTheme;
}

interface Lock {
  readonly title: string;
  /** Settings, each with all below it. */
  readonly paths: readonly string[];
}

/** What a teacher's link may hold still. A convenience: whoever opens it can take a lock off. */
export const LOCKS = {
  environment: { title: "Environment", paths: ["preset", "environment"] },
  harness: { title: "Harness", paths: ["harness"] },
  reward: { title: "Reward", paths: ["reward"] },
  credit: { title: "Credit", paths: ["algorithm.credit"] },
  objective: { title: "Objective", paths: ["algorithm.objective"] },
  batch: { title: "Batch", paths: ["algorithm.groupSize", "algorithm.groupsPerUpdate", "algorithm.resampleRounds", "algorithm.minibatches", "algorithm.epochs"] },
  step: { title: "Step", paths: ["algorithm.learningRate", "algorithm.warmup", "algorithm.maxGradNorm", "algorithm.clipLow", "algorithm.clipHigh"] },
  start: { title: "Start and policy", paths: ["from", "policy"] },
  length: { title: "Length and evaluation", paths: ["updates", "evaluation"] },
  seed: { title: "Seed", paths: ["seed"] },
} as const satisfies Record<string, Lock>;

export type LockId = keyof typeof LOCKS;
export const LOCK_IDS = Object.keys(LOCKS) as readonly LockId[];

/** What a link carries beside settings and view. */
export interface LinkExtras {
  /** As `encodeEvidence` wrote it; null for a link without. */
  readonly evidence: string | null;
  readonly frame: LinkFrame | null;
  readonly locks: readonly LockId[];
}

export const NO_EXTRAS: LinkExtras = { evidence: null, frame: null, locks: [] };

/** Their names in a link. */
const NAMES = { evidence: "e", embed: "embed", panel: "panel", theme: "theme", lock: "lock" } as const;
export const EXTRA_NAMES: ReadonlySet<string> = new Set(Object.values(NAMES));

export function writtenExtras({ frame, locks }: LinkExtras): readonly Parameter[] {
  return [
    ...(locks.length === 0 ? [] : ([[NAMES.lock, locks.join(".")]] as const)),
    ...(frame === null ? [] : ([[NAMES.embed, "1"], [NAMES.panel, frame.panel], [NAMES.theme, frame.theme]] as const)),
  ];
}

/** Last in a link: what is cut off by a chat programme then is not the settings. Its alphabet needs no escapes. */
export const writtenEvidence = ({ evidence }: LinkExtras): string => (evidence === null ? "" : `&${NAMES.evidence}=${evidence}`);

function oneOf<T extends object>(among: T, text: string | undefined, fallback: keyof T & string, name: string, notes: LinkNote[]): keyof T & string {
  const keys = Object.keys(among) as (keyof T & string)[];
  const found = text === undefined ? fallback : keys.find((key) => key === text);
  if (found === undefined) notes.push({ kind: "refused", key: name, message: `${name} is “${text?.slice(0, 20)}”; allowed: ${keys.join(", ")}. It is taken as ${fallback}` });
  return found ?? fallback;
}

/** Never throws: what cannot be taken is told in the notes. */
export function readExtras(named: ReadonlyMap<string, string>, notes: LinkNote[]): LinkExtras {
  const embed = named.get(NAMES.embed);
  if (embed !== undefined && embed !== "1") notes.push({ kind: "refused", key: NAMES.embed, message: `embed is “${embed.slice(0, 20)}”; allowed: 1. It is left out` });
  const locks = (named.get(NAMES.lock) ?? "").split(".").filter((id) => id !== "").slice(0, 2 * LOCK_IDS.length);
  const strange = locks.filter((id) => !LOCK_IDS.some((known) => known === id));
  if (strange.length > 0) notes.push({ kind: "unknown", key: NAMES.lock, message: `“${strange.join(".").slice(0, 60)}” cannot be locked here; allowed: ${LOCK_IDS.join(", ")}` });
  return {
    evidence: named.get(NAMES.evidence) ?? null,
    frame: embed !== "1" ? null : {
      panel: oneOf(FRAME_PANELS, named.get(NAMES.panel), "credit", NAMES.panel, notes),
      theme: oneOf(FRAME_THEMES, named.get(NAMES.theme), "system", NAMES.theme, notes),
    },
    locks: LOCK_IDS.filter((id) => locks.includes(id)),
  };
}

/** Whether a setting is held still. */
export const isLocked = (locks: readonly LockId[], path: string): boolean =>
  locks.some((id) => LOCKS[id].paths.some((held) => path === held || path.startsWith(`${held}.`)));
