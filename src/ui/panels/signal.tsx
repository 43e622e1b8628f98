import { memo } from "react";
import { metricValues } from "#store/selectors.ts";
import type { Series, SeriesMetric } from "#store/series.ts";
import { ChartCard, type ChartTable } from "../charts/chart-card.tsx";
import { Sparkline } from "../charts/sparkline.tsx";
import { compact, fixed, percent } from "../format.ts";
import { useRun } from "../workbench-context.ts";

interface SignalNote {
  readonly metric: SeriesMetric;
  readonly title: string;
  readonly meaning: string;
  readonly format: (value: number) => string;
}

const SIGNALS: readonly SignalNote[] = [
  { metric: "noSignalShare", title: "No signal", meaning: "groups whose rewards are all equal", format: percent },
  { metric: "rewardSpread", title: "Spread", meaning: "mean standard deviation of rewards within groups", format: (value) => fixed(value) },
  { metric: "entropy", title: "Entropy", meaning: "nats per sampled token, over the legal tokens", format: compact },
  { metric: "gradNorm", title: "Gradient norm", meaning: "before clipping", format: compact },
  { metric: "clipFraction", title: "Clipped", meaning: "tokens whose importance ratio was clipped", format: (value) => `${(value * 100).toFixed(1)} %` },
  { metric: "kl", title: "KL", meaning: "of behaviour from current policy; above 0.01 the steps are too large", format: compact },
  { metric: "turns", title: "Turns", meaning: "per trajectory", format: (value) => fixed(value) },
  { metric: "errors", title: "Errors", meaning: "malformed or refused calls per trajectory", format: (value) => fixed(value) },
];

export function SignalPanel() {
  const series = useRun("signal", (run) => run.series);
  const latest = useRun("signal", (run) => run.latest);
  const update = useRun("signal", (run) => run.update);
  const summary = latest === null ? "What each update learns from, after the first." : `Means at update ${update}; strips show the whole run.`;
  return (
    <ChartCard title="Signal" value={latest === null ? null : <span className="note">update {update}</span>} summary={summary} table={() => tableOf(series)} foot={null}>
      <dl className="signals">
        {SIGNALS.map((note) => (
          <SignalRow key={note.metric} note={note} series={series} value={latest?.[note.metric] ?? null} />
        ))}
      </dl>
    </ChartCard>
  );
}

interface SignalRowProps {
  readonly note: SignalNote;
  readonly series: Series;
  readonly value: number | null;
}

const SignalRow = memo(function SignalRow({ note: { metric, title, meaning, format }, series, value }: SignalRowProps) {
  return (
    <div className="signal">
      <dt title={meaning}>
        {title}
        <span className="vh">, {meaning}</span>
      </dt>
      <dd className="value">{value === null ? "–" : format(value)}</dd>
      <dd>
        <Sparkline values={metricValues(series, metric)} />
      </dd>
    </div>
  );
});

const tableOf = ({ points }: Series): ChartTable => ({
  columns: ["Update", ...SIGNALS.map(({ title }) => title)],
  rows: points.map(({ to, values }) => [
    String(to),
    ...SIGNALS.map(({ metric, format }) => {
      const value = values[metric];
      return value === null ? "" : format(value);
    }),
  ]),
});
