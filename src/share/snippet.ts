import { FRAME_PANELS, type FramePanel } from "./link-extras.ts";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");

/** Height of a frame in pixels. */
export const FRAME_HEIGHT = { least: 320, most: 1600, usual: 640 } as const;

/** HTML that shows a link's panel in another page. Nothing of the address can end its attribute. */
export const frameSnippet = (address: string, panel: FramePanel, height: number): string =>
  `<iframe src="${escaped(address)}" title="Turnwise: ${escaped(FRAME_PANELS[panel])}" width="100%" height="${Math.round(height)}" style="border:0" loading="lazy" allow="clipboard-write"></iframe>`;
