import type { CreditId } from "#run/assessment.ts";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import { BOARD_SCHEMES, defaultConfig, isCreditId, punishedQuestions, rowOf } from "#store/credit-board.ts";
import type { BoardModel } from "../hooks/use-board-model.ts";
import { Icon } from "../icon.tsx";
import { useBoard, useWorkbench } from "../workbench-context.ts";
import { rewardNote, schemeName } from "./credit-scheme.ts";
import { Neq } from "./credit-strip.tsx";
import { mismatchText } from "./headline.ts";
import { Select } from "../controls/native.tsx";

interface ControlsProps {
  readonly model: BoardModel;
}

/** Truth on or off, the scheme beside it, how often they differ, and which of the two views. */
export function BoardControls({ model }: ControlsProps) {
  const { board } = useWorkbench();
  const { compared, isTruthShown } = model;
  return (
    <div className="board-controls">
      <button className="btn btn-sm toggle" type="button" aria-pressed={isTruthShown} disabled={compared === null} title="Truth on or off (T)" onClick={board.toggleTruth}>
        <span className="code" aria-hidden="true">
          T
        </span>
        Truth
      </button>
      <SchemeSelect model={model} />
      <MismatchButton model={model} />
      <PunishedQuestions model={model} />
      <LayoutSwitch />
    </div>
  );
}

/** The six in their order, the blend, then all others; keys 1 to 6 choose the first. */
function SchemeSelect({ model: { rows, compared } }: ControlsProps) {
  const { board } = useWorkbench();
  const trained = rows[0]?.id ?? "flat";
  const option = (id: CreditId) => {
    const row = rowOf(rows, id);
    const { letter, name, variant } = schemeName(row?.config ?? defaultConfig(id));
    return (
      <option key={id} value={id}>
        {letter} {name}
        {id === "truth" ? " alone" : `, ${variant}${rewardNote(id, row?.reward ?? "")}`}
        {id === trained && " (trained)"}
      </option>
    );
  };
  const six: readonly CreditId[] = ["truth", ...BOARD_SCHEMES];
  const others = Object.values(CREDIT_ASSIGNERS).map(({ id }) => id).filter((id): id is CreditId => isCreditId(id) && id !== "dial" && !six.includes(id));
  return (
    <Select
      className="select select-sm scheme-select"
      aria-label="Scheme beside truth"
      value={compared?.id ?? "truth"}
      onChange={({ target: { value } }) => {
        if (isCreditId(value)) board.compare(value);
      }}
    >
      {six.map(option)}
      <option value="dial">D Dial between flat and truth</option>
      <optgroup label="More schemes">{others.map(option)}</optgroup>
    </Select>
  );
}

/** How many signs differ; pressed, everything else stands back. */
function MismatchButton({ model }: ControlsProps) {
  const { board } = useWorkbench();
  const isOn = useBoard((state) => state.onlyMismatches);
  const { mismatches: { decided, turns, places }, truth, shown, noTruth } = model;
  if (shown === null) return null;
  const undecided = turns - decided;
  return (
    <button
      className="count"
      type="button"
      aria-pressed={isOn}
      disabled={truth === null || (places.length === 0 && !isOn)}
      title={noTruth ?? `Show only these; M goes to the next.${undecided > 0 ? ` ${undecided} turns are not counted: their interval crosses zero.` : ""}`}
      onClick={board.toggleMismatches}
    >
      <Neq />
      <span>{truth === null ? (noTruth === null ? "truth not known yet" : "truth was not measured") : mismatchText(model)}</span>
    </button>
  );
}

/** Of the group shown; the Signal card has the share over many. */
function PunishedQuestions({ model: { entry: { group }, truth, shown } }: ControlsProps) {
  if (shown === null) return null;
  const { good, punished } = punishedQuestions(group, truth, shown.credits);
  if (good === 0) return null;
  return (
    <span className="count is-still" title={`Of ${good} questions of this group whose skill is certainly above zero, ${punished} are paid less than zero`}>
      <Icon name="ask" />
      <span>
        {punished} of {good} good asks punished
      </span>
    </span>
  );
}

export function LayoutSwitch() {
  const { board } = useWorkbench();
  const layout = useBoard((state) => state.layout);
  return (
    <div className="segments push" role="group" aria-label="View (G)">
      <button type="button" aria-pressed={layout === "group"} onClick={() => board.lay("group")}>
        Group
      </button>
      <button type="button" aria-pressed={layout === "focus"} onClick={() => board.lay("focus")}>
        Focus
      </button>
    </div>
  );
}
