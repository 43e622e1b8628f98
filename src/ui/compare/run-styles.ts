/** Colour and dash of the runs that are overlaid, by place; each also has a letter at the end of its line. */
export const RUN_STYLES = [
  { color: "var(--run-1)", dash: "none" },
  { color: "var(--run-2)", dash: "6 3" },
  { color: "var(--run-3)", dash: "2 3" },
  { color: "var(--run-4)", dash: "8 3 2 3" },
] as const;

export const styleOf = (entry: number): (typeof RUN_STYLES)[number] => RUN_STYLES[entry] ?? RUN_STYLES[0];
