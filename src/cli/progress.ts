import type { EvaluationReport, RunEvent } from "#run/run-event.ts";

const share = (value: number | null | undefined): string => (value === null || value === undefined ? "–" : value.toFixed(3));

const summary = ({ split, passHatK, greedy, tasks, trials }: EvaluationReport): string =>
  `${split} (${tasks} tasks × ${trials}): pass^1 ${share(passHatK[0])}, pass^${passHatK.length} ${share(passHatK.at(-1))}, greedy ${share(greedy)}`;

const WIDTH = 24;

/** Progress for a person: one line rewritten on a terminal, one line an evaluation in a log. */
export function progressWriter(out: NodeJS.WriteStream, updates: number): (event: RunEvent) => void {
  const terminal = out.isTTY;
  const line = (text: string): void => void out.write(terminal ? `\r\u001b[K${text}\n` : `${text}\n`);
  return (event) => {
    if (event.type === "update" && terminal) {
      const { update, metrics, timing } = event;
      const filled = Math.round((WIDTH * update) / updates);
      const left = (timing.seconds / update) * (updates - update);
      out.write(`\r\u001b[K${"█".repeat(filled)}${"░".repeat(WIDTH - filled)} ${update}/${updates}  success ${share(metrics.success)}  no signal ${share(metrics.noSignalShare)}  ${Math.ceil(left)} s left`);
    } else if (event.type === "evaluation") line(`update ${event.update}  ${event.subject}  ${summary(event.report)}`);
    else if (event.type === "run-finished") {
      line(`${event.updates} updates, ${event.trajectories} trajectories, ${event.tokens} tokens in ${event.timing.seconds.toFixed(1)} s`);
      line(summary(event.heldout));
      line(summary(event.shifted));
    }
  };
}
