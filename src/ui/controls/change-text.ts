import type { Change } from "#store/config-path.ts";
import type { DraftIssue } from "#store/draft-store.ts";
import { sentence, words } from "../format.ts";
import { entryOptions, fieldAt, titleAt } from "./field.ts";

/** Longer texts are none that a person would read here. */
const LONG = 60;

const plain = (value: unknown): string => {
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value === "number") return String(value);
  if (typeof value !== "string" || value === "") return "none";
  return value.length > LONG ? "changed ones" : words(value);
};

/** Its value in the form's own words. */
export function settingValue(draft: unknown, path: string, value: unknown): string {
  const field = fieldAt(draft, path);
  const entries = field === undefined ? [] : entryOptions(field.schema);
  return entries.find(({ id }) => id === value)?.title ?? plain(value);
}

/** One changed setting in the form's own words: its title, what it was, what it is to be. */
export const changeText = (draft: unknown, { path, before, after }: Change): string =>
  `${titleAt(draft, path)} ${settingValue(draft, path, before)} to ${settingValue(draft, path, after)}`;

const PATH = /\b[a-z]\w*(?:\.[a-z]\w*)+/gi;

/** What is wrong with the settings, as a sentence in the form's own words. */
export const issueText = (draft: unknown, { message }: DraftIssue): string =>
  sentence(message.replace(PATH, (path) => titleAt(draft, path)).replace(" is null;", " is empty;"));
