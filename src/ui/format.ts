import type { GroupEntry } from "#store/run-state.ts";

export { words } from "#core/words.ts";

export const BACKEND_NAMES = { wasm: "WASM", webgpu: "WebGPU", reference: "Reference" } as const;

/** U+2212, as wide as the plus sign. */
const MINUS = "−";
/** Below this a credit counts as zero. */
const ZERO = 1e-9;

export type Sign = "positive" | "negative" | "zero";

export const signOf = (value: number): Sign => (Math.abs(value) < ZERO ? "zero" : value > 0 ? "positive" : "negative");

/** No minus before what rounds to zero. */
export const fixed = (value: number, digits = 2): string => {
  const size = Math.abs(value).toFixed(digits);
  return `${value < 0 && Number(size) !== 0 ? MINUS : ""}${size}`;
};

export const signed = (value: number, digits = 2): string =>
  signOf(value) === "zero" ? (0).toFixed(digits) : `${value > 0 ? "+" : MINUS}${Math.abs(value).toFixed(digits)}`;

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Three significant digits, never more characters than a table cell has. */
export function compact(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 100) return fixed(value, 0);
  if (size >= 1) return fixed(value, 2);
  if (size >= 0.001) return fixed(value, 3);
  const exponent = Math.floor(Math.log10(size));
  return `${fixed(value / 10 ** exponent, 1)}e${MINUS}${-exponent}`;
}

/** A reward of 0 or 1 without digits it does not have. */
export const reward = (value: number): string => (Number.isInteger(value) ? fixed(value, 0) : fixed(value));

export const rate = (updatesPerSecond: number): string => `${updatesPerSecond < 10 ? updatesPerSecond.toFixed(1) : Math.round(updatesPerSecond)}/s`;

/** Members of a group have letters: A to Z, then A2 and so on. */
export function memberName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : `${letter}${Math.floor(index / 26) + 1}`;
}

/** The letter that a member has in its whole group: one that came in a link keeps the one it had at the sender's. */
export const nameIn = ({ linked }: Pick<GroupEntry, "linked">, index: number): string => memberName(linked?.members[index] ?? index);

/** A message of the trainer as a sentence of the page. */
export const sentence = (message: string): string => {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
};
