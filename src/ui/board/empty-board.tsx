import { ENVIRONMENTS } from "#environments/registry.ts";
import { useDraft, useRun, useWorkbench } from "../workbench-context.ts";
import { PHONE, useMedia } from "../hooks/use-media.ts";
import { PlayIcon } from "../icon.tsx";
import { ByHand } from "./by-hand.tsx";
import { GridHead } from "./credit-grid.tsx";
import { CreditLegend } from "./credit-strip.tsx";
import { schemeName } from "./credit-scheme.ts";
import { memberName } from "../format.ts";

/** More columns would be narrower than their heads: real ones scroll. */
const MOST_COLUMNS = 8;

/** Before the first group: where things will stand, and what to do. */
export default function EmptyBoard() {
  const isPhone = useMedia(PHONE);
  const { harness, algorithm } = useDraft((draft) => draft.config);
  const scheme = schemeName(algorithm.credit);
  const columns = Math.min(MOST_COLUMNS, harness.turns);
  return (
    <>
      <div className="board-head">
        <div className="board-title">
          <h2 id="board-title">Credit board</h2>
          <p>one group: attempts at the same task, side by side</p>
        </div>
      </div>
      <div className="board-empty">
        {!isPhone && (
          <div aria-hidden="true">
            <table className="grid">
              <GridHead columns={columns} />
              <tbody>
                {Array.from({ length: Math.min(8, algorithm.groupSize) }, (_, index) => (
                  <tr key={index}>
                    <th>
                      <span className="who-name">{memberName(index)}</span>
                    </th>
                    {Array.from({ length: columns }, (_column, turn) => (
                      <td key={turn} className="turn-cell">
                        <span className="chip is-ghost" />
                      </td>
                    ))}
                    <td />
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        <div className="board-say">
          <Invitation />
        </div>
      </div>
      <div className="board-foot">
        <div className="foot-line">
          <CreditLegend hasTruth={false} />
          <span className="key push">
            <span className="code" aria-hidden="true">
              {scheme.letter}
            </span>
            {scheme.name}, {scheme.variant}
          </span>
        </div>
      </div>
    </>
  );
}

function Invitation() {
  const { controller } = useWorkbench();
  const status = useRun("board", (run) => run.status);
  const { algorithm, environment, from } = useDraft((draft) => draft.config);
  const invalid = useDraft((draft) => draft.issue !== null);
  if (status === "starting" || status === "running" || status === "paused") {
    return (
      <div role="status">
        <h2>Sampling the first groups</h2>
        <p>The policy works {algorithm.groupsPerUpdate} tasks, {algorithm.groupSize} times each. The newest group appears here.</p>
      </div>
    );
  }
  const start = from === "blank" ? "an untrained policy" : "the shipped base policy";
  return (
    <div>
      <h2>Nothing computed yet</h2>
      <p>
        Run starts from {start}. It works {algorithm.groupsPerUpdate} tasks ({ENVIRONMENTS[environment.id].title}), {algorithm.groupSize} attempts each, then
        learns from what worked. Each row here will be an attempt, each chip a turn, each bar the credit that turn was given.
      </p>
      <button className="btn btn-primary btn-lg" type="button" disabled={invalid} onClick={() => controller.toggle()}>
        <PlayIcon />
        Run
        <kbd>Space</kbd>
      </button>
      <ByHand />
    </div>
  );
}
