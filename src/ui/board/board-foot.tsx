import { Suspense } from "react";
import { useStore } from "zustand";
import type { BoardRow } from "#store/credit-board.ts";
import type { BoardModel } from "../hooks/use-board-model.ts";
import { fixed, percent } from "../format.ts";
import { Icon } from "../icon.tsx";
import { useBoard, useRun, useWorkbench } from "../workbench-context.ts";
import { schemeName } from "./credit-scheme.ts";
import { CreditLegend, Neq } from "./credit-strip.tsx";
import { Dial } from "./dial.tsx";
import { truthLabel } from "./truth-label.ts";
import { part } from "../part.tsx";
import { Select } from "../controls/native.tsx";

const TrainWithDial = part(() => import("./train-with-dial.tsx"));

interface FootProps {
  readonly model: BoardModel;
  /** What is to be said of the chosen turn. */
  readonly sentence: string | null;
  readonly isStory: boolean;
}

/** What the marks mean, how truth came about, what it cost, and the scale of all rows. */
export function BoardFoot({ model, sentence: story, isStory }: FootProps) {
  const share = useBoard((board) => (board.scheme === "dial" && model.truth !== null ? board.share : null));
  return (
    <div className="board-foot">
      {(story !== null || share !== null) && (
        <div className="board-sentence">
          {isStory && <Neq />}
          <span>{story ?? `The dial pays ${percent(share ?? 0)} truth, the rest flat credit.`}</span>
          {share !== null && (
            <Suspense>
              <TrainWithDial entry={model.entry} share={share} />
            </Suspense>
          )}
        </div>
      )}
      <div className="foot-line">
        <CreditLegend hasTruth={model.isTruthShown} />
        <CostNote model={model} />
        <ScaleNote model={model} />
      </div>
      <div className="foot-line">
        <TruthNote model={model} />
        <Dial model={model} />
      </div>
    </div>
  );
}

/** "exact ±0.01", and what it is given; or why there is none. */
function TruthNote({ model: { entry, truth, noTruth } }: { readonly model: BoardModel }) {
  const { assessor, board } = useWorkbench();
  const given = useBoard((state) => state.given);
  const status = useRun("board", (run) => run.status);
  const { asking } = useStore(assessor);
  const isAsking = asking === entry.group.groupId;
  if (truth === null) {
    const isRunning = status === "running" || status === "starting";
    const text = isAsking ? "measuring…" : noTruth !== null ? `was not measured. ${noTruth}` : isRunning ? "pause to measure it" : "not measured";
    return (
      <span className="truth-told" role="status">
        <b>Truth</b> {text}
      </span>
    );
  }
  return (
    <span className="key truth-note">
      <span className="truth-how" title={given === "state" ? "This view pays lucky guesses: it knows what the policy could not see." : "±: the widest of the group’s turns"}>
        <b>Truth</b> {truthLabel(truth.members)}
        {isAsking && ", measuring…"}
      </span>
      {given === "state" && <b className="lucky">pays lucky guesses,</b>}
      <span className="given">
        <Select className="select select-sm" aria-label="Truth is given" value={given} onChange={({ target: { value } }) => board.give(value === "state" ? "state" : "history")}>
          <option value="history">given what it saw</option>
          <option value="state">given the hidden state</option>
        </Select>
      </span>
    </span>
  );
}

type Cost = NonNullable<BoardRow["cost"]>;

/** "313k" */
const short = (count: number): string => (count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 9_950 ? 1 : 0)}k`);
const inShort = ({ steps, tokens }: Cost): string => [[steps, "steps"] as const, [tokens, "tokens"] as const].flatMap(([count, unit]) => (count === 0 ? [] : [`+${short(count)} ${unit}`])).join(", ");
const inFull = ({ steps, tokens }: Cost): string => `${steps.toLocaleString("en")} environment steps and ${tokens.toLocaleString("en")} tokens`;

/** Environment steps and tokens that a scheme took beyond the trajectories. */
function CostNote({ model: { rows, shown } }: { readonly model: BoardModel }) {
  const known = [
    ["truth", rows.find(({ id }) => id === "truth")?.cost ?? null],
    [shown === null || shown.id === "truth" ? "" : schemeName(shown.config).short.toLowerCase(), shown?.id === "truth" ? null : (shown?.cost ?? null)],
  ] as const;
  const costs = known.flatMap(([name, cost]) => (cost === null ? [] : [{ name, cost }]));
  // There is room for one: what the scheme took, if it took anything.
  const told = costs.findLast(({ cost: { steps, tokens } }) => steps + tokens > 0);
  if (told === undefined) return null;
  return (
    <span className="key cost" title={`Beyond the trajectories themselves, for the whole group: ${costs.map(({ name, cost }) => `${name} took ${inFull(cost)}`).join("; ")}`}>
      <span className="vh">Extra: </span>
      {told.name} {inShort(told.cost)}
    </span>
  );
}

/** One symmetric scale for the whole board; numbers stay as they are. */
function ScaleNote({ model: { scale, shown, truth } }: { readonly model: BoardModel }) {
  const { board } = useWorkbench();
  const mode = useBoard((state) => state.scale);
  const factor = shown === null ? 1 : scale.factor(shown.id);
  const text = `Scale ±${fixed(scale.limit)}${shown !== null && factor !== 1 ? `, ${schemeName(shown.config).short} ×${fixed(factor)}` : ""}`;
  return (
    <button
      className="btn btn-quiet btn-sm scale push"
      type="button"
      aria-pressed={mode === "raw"}
      disabled={truth === null}
      title="Schemes are drawn with equal mean square, numbers stay as they are. Press for one raw scale."
      onClick={board.toggleScale}
    >
      <Icon name="lock" />
      {text}
      {mode === "raw" && truth !== null ? ", raw" : ""}
    </button>
  );
}
