import { useId, useState } from "react";
import { firstDifference } from "#store/compare/aligned.ts";
import { differentTasks, mostDifferent, runRates } from "#store/compare/difference.ts";
import { letterOf, type ComparedEntry, type LoadedRun } from "#store/compare/entry.ts";
import type { RunController } from "#store/run-controller.ts";
import type { TaskPlay } from "#trainer/play-task.ts";
import { WholeField } from "../controls/whole-field.tsx";
import { sentence } from "../format.ts";
import { useWorkbench } from "../workbench-context.ts";
import { PlayedTurns } from "./played-turns.tsx";

/** A run that can play, and what it is called here. */
interface Player {
  readonly entry: number;
  readonly label: string;
  readonly run: LoadedRun;
}

interface Played {
  readonly task: number;
  readonly trial: number;
  readonly players: readonly [Player, Player];
  readonly plays: readonly [TaskPlay, TaskPlay];
}

const playersOf = (entries: readonly ComparedEntry[]): readonly Player[] =>
  entries.flatMap(({ runs }, entry) =>
    runs.flatMap((run) => (run.weights === null ? [] : [{ entry, run, label: `${letterOf(entry)}${runs.length > 1 ? `, seed ${run.config.seed}` : ""}` }])),
  );

/** One attempt at a held-out task by two runs' weights with the same random numbers: what they do alike, where they part, and what follows. */
export function SideBySide({ entries }: { readonly entries: readonly ComparedEntry[] }) {
  const { controller } = useWorkbench();
  const players = playersOf(entries);
  const [chosen, choose] = useState<readonly [number, number]>([0, Math.max(0, players.findIndex(({ entry }) => entry > 0))]);
  const [left, right] = [players[chosen[0]], players[chosen[1]]];
  const ranked = rankedTasks(left, right);
  /** How many of them were gone to. */
  const [rank, setRank] = useState(0);
  const [task, setTask] = useState(ranked[0] ?? 0);
  const [trial, setTrial] = useState(0);
  const [played, setPlayed] = useState<Played | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isPlaying, setPlaying] = useState(false);
  const id = useId();
  const reason =
    players.length < 2 || left === undefined || right === undefined
      ? "Two runs with their weights are needed: those that came without can only be looked at."
      : left === right ? "Choose two different runs." : differentTasks(left.run.config, right.run.config);
  const [most, trials] = limitsOf(left, right);

  /** The first of these attempts in which the two part, else the last. */
  const play = async (at: number, attempts: readonly number[]): Promise<void> => {
    if (left === undefined || right === undefined) return;
    setPlaying(true);
    setFault(null);
    for (const attempt of attempts) {
      const [first, second] = [await playedBy(controller, left, at, attempt), await playedBy(controller, right, at, attempt)];
      const failed = [first, second].find(({ ok }) => !ok);
      if (failed?.ok === false) setFault(sentence(failed.error.message));
      if (!first.ok || !second.ok) break;
      if (attempt !== attempts.at(-1) && firstDifference(first.value.member, second.value.member) === null) continue;
      setPlayed({ task: at, trial: attempt, players: [left, right], plays: [first.value, second.value] });
      setTrial(attempt);
      break;
    }
    setPlaying(false);
  };
  const next = ranked[rank % Math.max(1, ranked.length)];
  const goTo = (at: number): void => {
    setTask(at);
    setRank(rank + 1);
    void play(at, Array.from({ length: trials }, (_, attempt) => attempt));
  };

  return (
    <section className="panel compare-sides" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>One task, two policies</h2>
      <p className="note">
        The same held-out task and the same random numbers, played by the weights each run was kept with. In one arithmetic an attempt goes as it did in the evaluation of those weights.
      </p>
      <form
        className="sides-form"
        onSubmit={(event) => {
          event.preventDefault();
          void play(task, [trial]);
        }}
      >
        {(["Left", "Right"] as const).map((side, index) => (
          <div className="field" key={side}>
            <label htmlFor={`${id}-${side}`}>{side}</label>
            <select
              className="select" id={`${id}-${side}`} value={chosen[index]}
              onChange={({ target }) => {
                choose(index === 0 ? [Number(target.value), chosen[1]] : [chosen[0], Number(target.value)]);
                setRank(0);
              }}
            >
              {players.map(({ label, run }, at) => (
                <option key={run.name} value={at}>
                  {label}, update {run.weights?.update}
                </option>
              ))}
            </select>
          </div>
        ))}
        <WholeField label={`Task, of ${most}`} value={task + 1} most={most} onChange={(shown) => setTask(shown - 1)} />
        <WholeField label={`Attempt, of ${trials}`} value={trial + 1} most={trials} onChange={(shown) => setTrial(shown - 1)} />
        <button className="btn btn-primary" type="submit" disabled={reason !== null || isPlaying}>
          Play
        </button>
        {next !== undefined && (
          <button className="btn" type="button" disabled={reason !== null || isPlaying} title="Tasks in the order of how far their success rates lie apart; the first attempt in which the two part" onClick={() => goTo(next)}>
            Next differing task
          </button>
        )}
      </form>
      <div aria-live="polite">
        {reason !== null && <p>{sentence(reason)}</p>}
        {fault !== null && <p>{fault}</p>}
        {isPlaying && <p className="note">Playing …</p>}
        {played !== null && <p className="sides-summary">{summaryOf(played)}</p>}
      </div>
      {played !== null && <PlayedTurns plays={played.plays} entries={[played.players[0].entry, played.players[1].entry]} labels={[played.players[0].label, played.players[1].label]} />}
    </section>
  );
}

const playedBy = async (controller: Pick<RunController, "playTask">, { run: { config, weights } }: Player, task: number, trial: number) =>
  controller.playTask({ config, weights: weights?.weights ?? new Float32Array(), task, trial });

/** Held-out tasks, those first on which the evaluations of the two lie furthest apart; none where they did not meet the same ones. */
function rankedTasks(left: Player | undefined, right: Player | undefined): readonly number[] {
  const rates = [left, right].flatMap((player) => (player === undefined ? [] : [runRates(player.run)]));
  const [first, second] = rates;
  return first && second && first.length === second.length ? mostDifferent([first, second]) : [];
}

/** Tasks and attempts that both runs' evaluations have. */
function limitsOf(left: Player | undefined, right: Player | undefined): readonly [number, number] {
  const evaluations = [left, right].flatMap((player) => (player === undefined ? [] : [player.run.config.evaluation]));
  return evaluations.length === 0 ? [1, 1] : [Math.min(...evaluations.map(({ tasks }) => tasks)), Math.min(...evaluations.map(({ trials }) => trials))];
}

function summaryOf({ task, trial, players, plays }: Played): string {
  const parted = firstDifference(plays[0].member, plays[1].member);
  const ended = players.map(({ label }, side) => `${label} ${plays[side]?.member.success === true ? "passes" : "does not pass"}`).join(", ");
  const where = parted === null ? "the same from beginning to end" : `the first difference is at turn ${parted + 1}`;
  return `Task ${task + 1}, attempt ${trial + 1}: ${where}; ${ended}.`;
}
