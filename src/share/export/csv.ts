import type { RunConfig } from "#run/run-config.ts";
import type { EvaluationReport, RunEvent, UpdateMetrics } from "#run/run-event.ts";
import { settingsAt } from "#run/settings-changes.ts";

/** In the order of the columns. */
const METRICS = [
  "reward", "success", "trajectories", "tokens", "sampledTokens", "failed", "turns", "errors", "truncatedShare", "allZeroShare", "noSignalShare", "rewardSpread", "loss", "gradNorm",
  "clipFraction", "kl", "entropy", "learningRate", "extraSteps", "extraTokens",
] as const satisfies readonly (keyof UpdateMetrics)[];
const LONGEST = 8;
const POWERS = Array.from({ length: LONGEST }, (_, index) => index + 1);

type Cell = string | number | null | undefined;

/** Text that a spreadsheet would take for a formula begins with an apostrophe (OWASP, "CSV injection"); numbers are no text. */
function cell(value: Cell): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const tame = /^[\s]*[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(tame) ? `"${tame.replaceAll('"', '""')}"` : tame;
}

/**
 * The numbers of a run, a row an update (RFC 4180). Evaluations stand in the row of the update they came after; the last also has the shifted
 * tasks. Row 0 is the policy it started from. `credit` is what the row's update was trained with.
 */
export function metricsCsv(config: RunConfig, title: string, events: readonly RunEvent[]): string {
  const updates = new Map<number, Extract<RunEvent, { type: "update" }>>();
  const heldout = new Map<number, EvaluationReport>();
  let shifted: { readonly update: number; readonly report: EvaluationReport } | null = null;
  for (const event of events) {
    if (event.type === "update") updates.set(event.update, event);
    if (event.type === "evaluation" && event.subject !== "prompted" && event.report.split === "heldout") heldout.set(event.update, event.report);
    if (event.type !== "run-finished") continue;
    heldout.set(event.updates, event.heldout);
    shifted = { update: event.updates, report: event.shifted };
  }
  const header = [
    "run", "preset", "seed", "credit", "update", ...METRICS, "seconds", "heldoutTasks", "heldoutTrials", ...POWERS.map((k) => `heldoutPassHat${k}`), "heldoutPassHat1Low", "heldoutPassHat1High",
    ...POWERS.map((k) => `heldoutPassAt${k}`), "heldoutGreedy", "shiftedPassHat1",
  ];
  const rows = [...new Set([...updates.keys(), ...heldout.keys()])].toSorted((a, b) => a - b).map((update): readonly Cell[] => {
    const told = updates.get(update);
    const report = heldout.get(update);
    const [low, high] = report?.passHatKInterval[0] ?? [];
    return [
      title, config.preset, config.seed, settingsAt(config, events, update).algorithm.credit.id, update, ...METRICS.map((name) => told?.metrics[name]), told?.timing.seconds, report?.tasks, report?.trials,
      ...POWERS.map((k) => report?.passHatK[k - 1]), low, high, ...POWERS.map((k) => report?.passAtK[k - 1]), report?.greedy, shifted?.update === update ? shifted.report.passHatK[0] : undefined,
    ];
  });
  return [header, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
