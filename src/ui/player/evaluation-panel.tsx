import { useId, useState } from "react";
import type { Examination } from "#trainer/player/examiner.ts";
import { fixed } from "../format.ts";
import { player, usePlayer } from "./player.ts";

const SIZES: readonly { readonly tasks: number; readonly trials: number }[] = [
  { tasks: 16, trials: 4 },
  { tasks: 64, trials: 8 },
  { tasks: 256, trials: 8 },
];

/** pass^k on held-out tasks: the player's figures and the native engine's, from the same tasks and draws. */
export function EvaluationPanel() {
  const work = usePlayer((state) => state.work);
  const progress = usePlayer((state) => state.progress);
  const examination = usePlayer((state) => state.examination);
  const [size, setSize] = useState(0);
  const id = useId();
  const chosen = SIZES[size] ?? { tasks: 16, trials: 4 };
  return (
    <section className="panel player-panel" aria-labelledby={id}>
      <h2 id={id}>pass^k</h2>
      <div className="player-bar">
        <select className="select" aria-label="Tasks and trials" value={size} disabled={work !== null} onChange={({ target: { value } }) => setSize(Number(value))}>
          {SIZES.map(({ tasks, trials }, place) => (
            <option key={tasks} value={place}>
              {tasks} tasks × {trials} trials
            </option>
          ))}
        </select>
        {work === "evaluate" ? (
          <button className="btn" type="button" onClick={() => player.stop()}>
            Stop
          </button>
        ) : (
          <button className="btn btn-primary" type="button" disabled={work !== null} onClick={() => void player.evaluate(chosen.tasks, chosen.trials)}>
            Evaluate
          </button>
        )}
        {progress !== null && (
          <progress value={progress.finished} max={progress.total} aria-label={progress.who === "player" ? "Trials played through onnxruntime-web" : "Trials played by the native engine"} />
        )}
      </div>
      <p className="note">Held-out tasks. Both play the same tasks with the same draws; the intervals (95 %) resample tasks.</p>
      <div role="status">{examination !== null && <Figures examination={examination} />}</div>
    </section>
  );
}

function Figures({ examination: { player: own, native } }: { readonly examination: Examination }) {
  const beside = usePlayer((state) => state.policy?.loaded.beside ?? "same");
  const apart = own.successes.filter((count, task) => count !== native.successes[task]).length;
  const cell = (report: Examination["player"], place: number): string => {
    const [low = Number.NaN, high = Number.NaN] = report.passHatKInterval[place] ?? [];
    return `${fixed(report.passHatK[place] ?? Number.NaN, 3)} (${fixed(low)} to ${fixed(high)})`;
  };
  return (
    <>
      <div className="table-box" tabIndex={0} role="region" aria-label="pass^k of both">
        <table className="player-figures">
          <thead>
            <tr>
              <th scope="col">k</th>
              <th scope="col">onnxruntime-web</th>
              <th scope="col">Native engine{beside === "base" ? ", base policy" : ""}</th>
            </tr>
          </thead>
          <tbody>
            {own.passHatK.map((_, place) => (
              // k is the place.
              // oxlint-disable-next-line react/no-array-index-key
              <tr key={place}>
                <th scope="row">{place + 1}</th>
                <td className="num">{cell(own, place)}</td>
                <td className="num">{cell(native, place)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p>
        {apart === 0 ? `As many successes in each of the ${own.tasks} tasks.` : `In ${apart} of ${own.tasks} tasks the number of successes differs.`}
        {own.failed + native.failed > 0 && ` ${own.failed} and ${native.failed} trials failed and count in no rate.`}
      </p>
    </>
  );
}
