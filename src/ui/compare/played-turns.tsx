import { Suspense } from "react";
import { firstDifference } from "#store/compare/aligned.ts";
import type { TaskPlay } from "#trainer/play-task.ts";
import { actionLabel, labelText, observationLines, observationText } from "../board/action-label.ts";
import { endingText, OutcomeMark } from "../board/outcome.tsx";
import { Icon } from "../icon.tsx";
import { ChosenTokens } from "../inspector/chosen-tokens.tsx";
import { SeenTokens } from "../inspector/seen-tokens.tsx";
import { RunSwatch } from "./swatch.tsx";
import { part } from "../part.tsx";

const BoardMessage = part(() => import("../sokoban/board-message.tsx"), "picture");

interface PlayedTurnsProps {
  readonly plays: readonly [TaskPlay, TaskPlay];
  readonly entries: readonly [number, number];
  readonly labels: readonly [string, string];
}

const SIDES = [0, 1] as const;

/** Two attempts at one task, turn beside turn; the first that is not the same is marked, and every turn opens. */
export function PlayedTurns({ plays, entries, labels }: PlayedTurnsProps) {
  const parted = firstDifference(plays[0].member, plays[1].member);
  const longest = Math.max(plays[0].member.turns.length, plays[1].member.turns.length);
  return (
    <div className="played">
      <div className="played-heads">
        {SIDES.map((side) => (
          <p key={side}>
            <b>{labels[side]}</b>
            <RunSwatch entry={entries[side]} />
            <OutcomeMark success={plays[side].member.success} />
            {plays[side].member.success ? "passed" : "not passed"}, {endingText(plays[side].member)} after {plays[side].member.turns.length} turns
          </p>
        ))}
      </div>
      <p className="played-first">
        Both begin with {observationText(plays[0].first)}.
      </p>
      <ol>
        {Array.from({ length: longest }, (_, turn) => (
          <li key={turn} className={turn === parted ? "played-turn is-parted" : parted === null || turn < parted ? "played-turn is-same" : "played-turn"}>
            <h3>
              Turn {turn + 1}
              {turn === parted && <span className="parted-mark">first difference</span>}
              {(parted === null || turn < parted) && <span className="note">the same</span>}
            </h3>
            <div className="played-pair">
              {SIDES.map((side) => (
                <PlayedTurn key={side} play={plays[side]} turn={turn} label={labels[side]} />
              ))}
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

function PlayedTurn({ play: { member, first }, turn: at, label }: { readonly play: TaskPlay; readonly turn: number; readonly label: string }) {
  const turn = member.turns[at];
  if (turn === undefined) return <p className="played-none">{label} has ended.</p>;
  const action = actionLabel(turn.action);
  const tokens = member.sequences[turn.sequence] ?? [];
  const before = member.turns[at - 1]?.observation ?? first;
  return (
    <details className="played-detail">
      <summary>
        <span className="played-side">{label}: </span>
        <Icon name={action.icon} />
        <b>{labelText(action)}</b>
        <span className="note">{observationText(turn.observation)}</span>
      </summary>
      <h4>What it saw</h4>
      <Picture of={before} />
      <SeenTokens tokens={tokens} end={turn.start} />
      <h4>What it chose</h4>
      <ChosenTokens tokens={tokens.slice(turn.start, turn.end)} />
      <h4>What came back</h4>
      <Picture of={turn.observation} />
      <dl className="message">
        {observationLines(turn.observation).flatMap(([name, text], index) => [<dt key={`name-${index}`}>{name}</dt>, <dd key={`text-${index}`}>{text}</dd>])}
      </dl>
    </details>
  );
}

/** A board is better drawn than told. */
const Picture = ({ of }: { readonly of: TaskPlay["first"] }) =>
  of.kind === "board" && (
    <Suspense>
      <BoardMessage observation={of} />
    </Suspense>
  );
