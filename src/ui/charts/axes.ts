export const MARGIN = { top: 8, right: 16, bottom: 0, left: 0 } as const;
export const HALVES: number[] = [0, 0.5, 1];

/** Axes as quiet as the mock's: no ticks, hairline, `.5` instead of `0.5`. */
export const tick = {
  tickLine: false,
  tickMargin: 4,
  axisLine: { stroke: "var(--edge)" },
  stroke: "var(--ink-3)",
  interval: 0,
  tickFormatter: (value: number) => (value > 0 && value < 1 ? String(value).replace(/^0/, "") : String(value)),
} as const;
