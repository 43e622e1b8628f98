import { useRef } from "react";
import { OBJECTIVES } from "#algorithms/objectives/registry.ts";
import { TaskError } from "#core/errors.ts";
import { boardTokens } from "#harness/board-tokens.ts";
import { rowsOf, type Level } from "#environments/sokoban/board.ts";
import { boardSizeOf } from "#environments/sokoban/board-size.ts";
import { MOST_PLAYS, type SokobanConfig } from "#environments/sokoban/config.ts";
import { readPlays, refusalOf, writePlay, writePlays, type OwnPlay } from "#environments/sokoban/plays.ts";
import { OWN_SHARE } from "#run/own-share.ts";
import { withRecipe } from "#run/recipe.ts";
import { rangeAt, type RunConfig } from "#run/run-config.ts";
import { percent } from "../format.ts";
import { useDraft, useWorkbench } from "../workbench-context.ts";
import { BoardPicture } from "./board-picture.tsx";
import { boardLabel, movesText } from "./board-rows.ts";

/** The settings of the draft where they are Sokoban's. */
const settingsOf = ({ environment }: RunConfig): SokobanConfig | null => (environment.id === "sokoban" ? environment : null);

/** Why the policy of these settings could not play a level, with the value that would do; null where it could. */
export function tooLarge(config: RunConfig, level: Level): string | null {
  if (settingsOf(config) === null) return null;
  const size = boardSizeOf(level);
  const { harness, policy } = config;
  if (harness.id === "latest-observation" && harness.grid === "coordinates" && Math.max(...size.sides) > 10)
    return `it is ${size.sides.join(" × ")}, and coordinates go to 10 × 10: the harness’s grid would have to be cells, with a context of ${boardTokens({ ...harness, grid: "cells" }, size)}`;
  const tokens = boardTokens(harness, size);
  if (tokens <= policy.context) return null;
  const { max } = rangeAt("policy.context");
  return `its board takes ${tokens} tokens, and policy.context is ${policy.context}: ${tokens > max ? `none of up to ${max} would do` : `${tokens} would do`}`;
}

/** Why a play cannot be added; null where it can. */
function refusal(config: RunConfig, play: OwnPlay, plays: readonly OwnPlay[]): string | null {
  const settings = settingsOf(config);
  if (settings === null) return "the settings are those of another environment: choose Sokoban first";
  const reason = refusalOf(play, settings);
  if (reason !== undefined) return reason;
  const { turns } = config.harness;
  if (play.moves.length > turns) return `it has ${play.moves.length} moves, and an episode of these settings has ${turns} turns`;
  if (plays.some((known) => writePlay(known) === writePlay(play))) return "it is among them already";
  if (plays.length === MOST_PLAYS) return `there are ${MOST_PLAYS} already, and no more are kept`;
  return tooLarge(config, play.level);
}

interface Kept {
  readonly plays: readonly OwnPlay[];
  readonly fault: string | null;
}

function keptOf(config: RunConfig): Kept {
  const settings = settingsOf(config);
  try {
    return { plays: settings === null ? [] : readPlays(settings.plays, settings), fault: null };
  } catch (error) {
    if (!(error instanceof TaskError)) throw error;
    return { plays: [], fault: error.message };
  }
}

const PLAYS = "environment.plays";

/** Adds a play that is given to the demonstrations, and lists those that were added. */
export function OwnPlays({ play }: { readonly play: OwnPlay | null }) {
  const { draft } = useWorkbench();
  const config = useDraft((state) => state.config);
  const { plays, fault } = keptOf(config);
  const against = play === null ? null : refusal(config, play, plays);
  const section = useRef<HTMLElement>(null);
  /** The button that was pressed goes with what it removes. */
  const keep = (left: string): void => {
    draft.set(PLAYS, left);
    section.current?.focus();
  };
  const imitates = config.algorithm.objective.id === "sft";
  return (
    <section className="sokoban-plays" aria-label="Own plays" ref={section} tabIndex={-1}>
      {play !== null && (
        <div className="actions">
          <button className="btn btn-sm" type="button" disabled={against !== null} onClick={() => draft.set(PLAYS, writePlays([...plays, play]))}>
            Add to the demonstrations
          </button>
          {against !== null && <span className="sokoban-note">Not to be learnt from: {against}.</span>}
        </div>
      )}
      {fault !== null && (
        <div className="actions">
          <span className="sokoban-fault" role="alert">
            The plays in the settings cannot be read: {fault}.
          </span>
          <button className="btn btn-sm" type="button" onClick={() => keep("")}>
            Remove them all
          </button>
        </div>
      )}
      {plays.length > 0 && (
        <>
          <p>
            <b>Own plays:</b> {plays.length} in the settings, and in the link.
          </p>
          <p className="sokoban-note">
            Imitation draws {percent(OWN_SHARE)} of its demonstrations from them.{" "}
            {imitates ? `The objective is “${OBJECTIVES.sft.title}”: the next run learns from them.` : "The objective of the settings imitates nothing."}
          </p>
          {!imitates && (
            <button className="btn btn-sm" type="button" onClick={() => draft.replace(withRecipe(config, "sft-only"))}>
              Imitate in the next run
            </button>
          )}
          <ol>
            {plays.map((known, index) => (
              <li key={writePlay(known)}>
                <BoardPicture rows={rowsOf(known.level)} label={boardLabel(rowsOf(known.level))} isSmall />
                <span>
                  {movesText(known.moves)}
                </span>
                <button className="btn btn-sm" type="button" aria-label={`Remove play ${index + 1}`} onClick={() => keep(writePlays(plays.filter((_, at) => at !== index)))}>
                  Remove
                </button>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}
