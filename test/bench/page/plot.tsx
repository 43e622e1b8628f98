import { createRoot } from "react-dom/client";
import { flushSync } from "react-dom";
import { Bar, BarChart, LabelList, XAxis, YAxis } from "recharts";

export interface PlotRow {
  readonly name: string;
  /** Tokens a second. */
  readonly train: number;
}

const [WIDTH, ROW, HEAD] = [760, 26, 34] as const;
const TEXT = { fontFamily: "system-ui, sans-serif", fontSize: 12, fill: "#1c1c1a" } as const;

/** Bars on a logarithmic scale. @returns the SVG as text */
export async function plot(rows: readonly PlotRow[], title: string): Promise<string> {
  const place = document.createElement("div");
  document.body.append(place);
  const root = createRoot(place);
  flushSync(() =>
    root.render(
      <BarChart layout="vertical" width={WIDTH} height={rows.length * ROW + HEAD} data={[...rows]} margin={{ top: HEAD - 8, right: 70, bottom: 8, left: 8 }} title={title}>
        <XAxis type="number" scale="log" domain={[100, "auto"]} hide />
        <YAxis type="category" dataKey="name" width={250} interval={0} axisLine={false} tickLine={false} tick={TEXT} />
        <Bar dataKey="train" fill="#3a3a36" isAnimationActive={false} barSize={14}>
          <LabelList dataKey="train" position="right" {...TEXT} formatter={(value) => Number(value).toLocaleString("en")} />
        </Bar>
      </BarChart>,
    ),
  );
  // Axes measure their text before the bars are placed.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const svg = place.querySelector("svg");
  if (svg === null) throw new Error("the plot was not drawn");
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  svg.setAttribute("style", "background: #fff");
  const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
  for (const [name, value] of Object.entries({ x: "8", y: "18", "font-family": TEXT.fontFamily, "font-size": "13", fill: TEXT.fill })) text.setAttribute(name, value);
  text.textContent = title;
  svg.append(text);
  return svg.outerHTML;
}
