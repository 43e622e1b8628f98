import { useId, useState } from "react";
import { EPISODE_TASKS } from "#trainer/player/tasks.ts";
import type { PlayedTurn } from "#trainer/player/examiner.ts";
import { actionLabel, labelText, observationText } from "../board/action-label.ts";
import { WholeField } from "../controls/whole-field.tsx";
import { fixed } from "../format.ts";
import { Icon } from "../icon.tsx";
import { BoardPicture } from "../sokoban/board-picture.tsx";
import { boardLabel, rowsOfObservation } from "../sokoban/board-rows.ts";
import { player, usePlayer } from "./player.ts";

/** One episode, a turn at a time, with every token and what the native engine takes from the same draws. */
export function EpisodePanel() {
  const episode = usePlayer((state) => state.episode);
  const work = usePlayer((state) => state.work);
  const [task, setTask] = useState(1);
  const [seed, setSeed] = useState(1);
  const id = useId();
  const isOver = episode === null || episode.end !== null;
  const begin = (): void => void player.begin(task - 1, seed);
  return (
    <section className="panel player-panel" aria-labelledby={id}>
      <h2 id={id}>One episode</h2>
      <div className="player-bar">
        <WholeField label="Held-out task" value={task} most={EPISODE_TASKS} onChange={setTask} />
        <WholeField label="Seed" value={seed} most={9999} onChange={setSeed} />
        <button className="btn" type="button" disabled={work !== null} onClick={begin}>
          <Icon name="reset" />
          {episode === null ? "Begin" : "Begin anew"}
        </button>
        <button className="btn btn-primary" type="button" disabled={work !== null || isOver} onClick={() => void player.step()}>
          Next turn
        </button>
        {work === "play" ? (
          <button className="btn" type="button" onClick={() => player.stop()}>
            Stop
          </button>
        ) : (
          <button className="btn" type="button" disabled={work !== null || isOver} onClick={() => void player.playOut()}>
            To the end
          </button>
        )}
      </div>
      {episode !== null && (
        <>
          <p className="note">Task {episode.task + 1} begins with {observationText(episode.first)}.</p>
          <Board observation={episode.turns.at(-1)?.observation ?? episode.first} turns={episode.turns.length} />
          <ol className="player-turns">
            {episode.turns.map((turn, place) => (
              // Turns are only ever added.
              // oxlint-disable-next-line react/no-array-index-key
              <Turn key={place} turn={turn} place={place} />
            ))}
          </ol>
        </>
      )}
      <p role="status">{episode?.end != null && ending(episode.end, episode.turns.length)}</p>
    </section>
  );
}

const ending = ({ success, ending: how, error }: { readonly success: boolean; readonly ending: string; readonly error: string | null }, turns: number): string =>
  error === null ? `${success ? "Success" : "No success"} after ${turns} ${turns === 1 ? "turn" : "turns"}${how === "truncated" ? ", cut off by the budget" : ""}.` : `The episode failed: ${error}.`;

/** As it stands after so many turns. */
function Board({ observation, turns }: { readonly observation: PlayedTurn["observation"]; readonly turns: number }) {
  const rows = rowsOfObservation(observation);
  if (rows === null) return null;
  return (
    <figure>
      <BoardPicture rows={rows} label={boardLabel(rows)} isSmall />
      <figcaption className="note">{turns === 0 ? "At the start" : `After turn ${turns}`}</figcaption>
    </figure>
  );
}

function Turn({ turn: { action, observation, tokens, native }, place }: { readonly turn: PlayedTurn; readonly place: number }) {
  return (
    <li>
      <h3>
        {place + 1}. {labelText(actionLabel(action))}
      </h3>
      <p className="player-tokens">
        {tokens.map(({ word, logprob }, at) => (
          // oxlint-disable-next-line react/no-array-index-key
          <span key={at}>
            <span className="mono">{word}</span> <small>{fixed(Math.exp(logprob))}</small>
          </span>
        ))}
      </p>
      <p className={native.isSame ? "note" : "player-apart"}>
        {native.isSame ? (
          `Native engine: the same tokens, ln p within ${native.largestDifference === 0 ? "0" : native.largestDifference.toExponential(0)}`
        ) : (
          <>
            Native engine: <span className="mono">{native.words.join(" ")}</span>
          </>
        )}
      </p>
      <p>Came back: {observationText(observation)}</p>
    </li>
  );
}
