import { memo, useDeferredValue } from "react";
import { useShallow } from "zustand/shallow";
import { metricValues, pointAt } from "#store/selectors.ts";
import type { Series, SeriesMetric, SeriesPoint } from "#store/series.ts";
import { ChartCard, type ChartTable } from "../charts/chart-card.tsx";
import { Sparkline } from "../charts/sparkline.tsx";
import { compact, fixed, percent } from "../format.ts";
import { Icon } from "../icon.tsx";
import { CreditMeters } from "../meters/credit-meters.tsx";
import { AlarmNote } from "../signal/alarm-note.tsx";
import { alarmsAt, KL_LIMIT } from "../signal/alarms.ts";
import { useRun, useView } from "../workbench-context.ts";

interface SignalNote {
  readonly metric: SeriesMetric;
  readonly title: string;
  readonly meaning: string;
  readonly format: (value: number) => string;
  /** Above it something is wrong; drawn where the strip comes near. */
  readonly limit?: number;
}

const SIGNALS: readonly SignalNote[] = [
  { metric: "noSignalShare", title: "No credit", meaning: "groups in which no turn gets credit; under group-relative schemes, those whose rewards are all equal", format: percent },
  { metric: "rewardSpread", title: "Spread", meaning: "mean standard deviation of rewards within groups", format: (value) => fixed(value) },
  { metric: "entropy", title: "Entropy", meaning: "nats per sampled token, over the legal tokens", format: compact },
  { metric: "gradNorm", title: "Gradient", meaning: "norm before clipping", format: compact },
  { metric: "clipFraction", title: "Clipped", meaning: "tokens whose importance ratio was clipped", format: (value) => `${(value * 100).toFixed(1)} %` },
  { metric: "kl", title: "KL", meaning: "of behaviour from current policy; above 0.01 the steps are too large", format: compact, limit: KL_LIMIT },
  { metric: "turns", title: "Turns", meaning: "per trajectory", format: (value) => fixed(value) },
  { metric: "errors", title: "Errors", meaning: "malformed or refused calls per trajectory", format: (value) => fixed(value) },
];

/** There is room for what tells whether learning goes wrong; the rest stands in the table. */
const TABLE_ONLY: ReadonlySet<SeriesMetric> = new Set(["rewardSpread", "turns", "errors"]);

export function SignalPanel() {
  const run = useRun("signal", useShallow(({ series, update, evaluations, past, config }) => ({ series, update, evaluations, past, config })));
  // A press is painted before the strips follow it.
  const at = useDeferredValue(useView((view) => view.at));
  const point = pointAt(run.series, at ?? run.update);
  const alarms = alarmsAt(run, at);
  const summary = point === null ? "What each update learns from, after the first." : `Means at ${updatesOf(point)}; strips show the whole run.`;
  return (
    <ChartCard
      title="Signal"
      value={point === null ? null : <span className="note">{updatesOf(point)}</span>}
      summary={summary}
      table={() => tableOf(run.series)}
      foot={<AlarmNote alarms={alarms} isEmpty={point === null} />}
    >
      <CreditMeters />
      <dl className="signals">
        {SIGNALS.filter(({ metric }) => !TABLE_ONLY.has(metric)).map((note) => (
          <SignalRow
            key={note.metric}
            note={note}
            series={run.series}
            value={point?.values[note.metric] ?? null}
            shown={at === null ? null : (point?.from ?? null)}
            isAlarmed={alarms.some(({ metric }) => metric === note.metric)}
          />
        ))}
      </dl>
    </ChartCard>
  );
}

/** Early updates of a long run are kept as means of several. */
const updatesOf = ({ from, to }: SeriesPoint): string => (from === to ? `update ${to}` : `updates ${from} to ${to}`);

interface SignalRowProps {
  readonly note: SignalNote;
  readonly series: Series;
  readonly value: number | null;
  /** First update of the point to be marked; null for the newest. */
  readonly shown: number | null;
  readonly isAlarmed: boolean;
}

const SignalRow = memo(function SignalRow({ note: { metric, title, meaning, format, limit }, series, value, shown, isAlarmed }: SignalRowProps) {
  return (
    <div className={isAlarmed ? "signal is-alarmed" : "signal"}>
      <dt title={meaning}>
        {isAlarmed && <Icon name="warning" />}
        {title}
        <span className="vh">
          , {meaning}
          {isAlarmed && ", alarm"}
        </span>
      </dt>
      <dd className="value">{value === null ? "–" : format(value)}</dd>
      <dd>
        <Sparkline values={metricValues(series, metric)} mark={shown === null ? null : series.points.findIndex(({ from }) => from === shown)} limit={limit ?? null} />
      </dd>
    </div>
  );
});

const tableOf = ({ points }: Series): ChartTable => ({
  ...(points.length === 0 ? { note: "Nothing computed yet: a row comes with each update." } : {}),
  columns: ["Update", ...SIGNALS.map(({ title }) => title)],
  rows: points.map(({ to, values }) => [
    String(to),
    ...SIGNALS.map(({ metric, format }) => {
      const value = values[metric];
      return value === null ? "" : format(value);
    }),
  ]),
});
