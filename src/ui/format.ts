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

/** No sign before what rounds to zero. */
export const signed = (value: number, digits = 2): string => {
  const size = Math.abs(value).toFixed(digits);
  return Number(size) === 0 ? size : `${value > 0 ? "+" : MINUS}${size}`;
};

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Within 5 % of the value, in few characters: whole from 100 on, then digits behind the point, powers of ten where it is far from one. Each form is chosen by what it would round to. */
export function compact(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  const short = size.toExponential(1);
  if (Number(short) < 0.001 || Number(size.toFixed(0)) >= 1e6) return `${value < 0 ? MINUS : ""}${short.replace("+", "").replace("-", MINUS)}`;
  if (Number(size.toFixed(2)) >= 100) return fixed(value, 0);
  if (Number(size.toFixed(3)) >= 1) return fixed(value, 2);
  return fixed(value, Number(size.toFixed(4)) >= 0.01 ? 3 : 4);
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
