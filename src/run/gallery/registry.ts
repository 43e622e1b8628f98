import { parseRunConfig, PRESETS, setPath, type RunConfig } from "../run-config.ts";
import type { Exhibit, Setup } from "./exhibit.ts";
import { JS_SANDBOX_EXHIBITS } from "./js-sandbox.ts";
import { REFUND_DESK_EXHIBITS } from "./refund-desk.ts";

/** Rewards that can be had without doing the task: one entry here, and one recording under public/recordings/gallery. */
export const EXHIBITS = { ...JS_SANDBOX_EXHIBITS, ...REFUND_DESK_EXHIBITS } as const satisfies Record<string, Exhibit>;

export type ExhibitId = keyof typeof EXHIBITS;

export const EXHIBIT_IDS = Object.keys(EXHIBITS) as readonly ExhibitId[];

/** @throws ConfigError when a setting does not exist or its text is out of range. */
export const configOf = ({ preset, settings }: Setup): RunConfig =>
  parseRunConfig(Object.entries(settings).reduce((config, [path, text]) => setPath(config, path, text), PRESETS[preset]));

/** Opens the workbench with it. A test reads it back through the codec of links. */
export const linkOf = ({ preset, settings }: Setup): string =>
  `#/play?v=1&p=${preset}${Object.entries(settings).map(([path, text]) => `&${path}=${encodeURIComponent(text)}`).join("")}&s=${PRESETS[preset].seed}`;

/** How to train it from the command line. */
export const trainCommand = ({ preset, settings }: Setup): string =>
  `npm run -s turnwise -- train --preset ${preset}${Object.entries(settings).map(([path, text]) => ` --set ${path}=${text}`).join("")}`;
