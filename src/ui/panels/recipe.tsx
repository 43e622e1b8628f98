import { useCallback, useState } from "react";
import { PRESETS } from "#run/run-config.ts";
import { settingsChanged, type DraftState } from "#store/draft-store.ts";
import { titleAt } from "../controls/field.ts";
import { SchemaForm, type FormSection } from "../controls/schema-form.tsx";
import { Notice } from "../shell/notice.tsx";
import { words } from "../format.ts";
import { useDraft, useRun, useWorkbench } from "../workbench-context.ts";

/** The settings that matter for what the page shows; all others keep the preset's values. */
const SECTIONS: readonly FormSection[] = [
  {
    title: "Task and start",
    rows: [
      [{ path: "preset" }],
      [{ path: "environment" }],
      [
        { path: "environment.maxOrders" },
        { path: "from", options: [{ value: "base", title: "Base" }, { value: "blank", title: "Blank" }] },
      ],
    ],
  },
  { title: "Credit", rows: [[{ path: "algorithm.credit" }], [{ path: "algorithm.credit.std" }]] },
  {
    title: "Batch and step",
    rows: [
      [{ path: "algorithm.groupSize" }, { path: "algorithm.groupsPerUpdate" }],
      [{ path: "algorithm.learningRate" }, { path: "updates" }],
    ],
  },
  { title: "Decoding", rows: [[{ path: "harness.constrained" }], [{ path: "harness.varyWording" }]] },
  { title: "Chance", rows: [[{ path: "seed" }]] },
];

export function RecipePanel() {
  const { draft } = useWorkbench();
  const state = useDraft((whole) => whole);
  const [explain, setExplain] = useState(false);
  const change = useCallback(
    (path: string, value: unknown) => {
      const preset = path === "preset" ? Object.values(PRESETS).find((known) => known.preset === value) : undefined;
      if (preset === undefined) draft.set(path, value);
      else draft.replace(preset);
    },
    [draft],
  );
  return (
    <>
      <div className="recipe-head">
        <h2>Recipe</h2>
        <button className="btn btn-quiet btn-sm" type="button" aria-pressed={explain} onClick={() => setExplain(!explain)}>
          Explain
        </button>
      </div>
      <SchemaForm label="Recipe" sections={SECTIONS} draft={state.draft} issue={state.issue} explain={explain} onChange={change} />
      <div role="status">
        <Pending state={state} />
      </div>
    </>
  );
}

const CHANGES_NAMED = 3;

const shown = (value: unknown): string => {
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? words(value) : "none";
};

/** Edits never reach a run under way: this says so, and how to make them count. */
function Pending({ state }: { readonly state: DraftState }) {
  const { controller, draft } = useWorkbench();
  const running = useRun("transport", (run) => run.config);
  const changed = settingsChanged(state, running);
  const elsewhere = state.issue !== null && !SECTIONS.some(({ rows }) => rows.flat().some(({ path }) => path === state.issue?.path));
  if (elsewhere) {
    return (
      <Notice icon="warning" title="These settings do not fit together">
        <p>{state.issue?.message}</p>
      </Notice>
    );
  }
  if (running === null || changed.length === 0) return null;
  const named = changed.slice(0, CHANGES_NAMED).map(({ path, before, after }) => `${titleAt(state.draft, path)} ${shown(before)} to ${shown(after)}`);
  const more = changed.length - named.length;
  return (
    <Notice icon="reset" title="Settings changed: restart to apply">
      <p>
        {named.join(", ")}
        {more > 0 ? `, and ${more} more` : ""}.
      </p>
      <div className="actions">
        <button className="btn btn-sm" type="button" disabled={state.issue !== null} onClick={() => controller.restart()}>
          Restart
        </button>
        <button className="btn btn-sm btn-quiet" type="button" onClick={() => draft.replace(running)}>
          Undo
        </button>
      </div>
    </Notice>
  );
}
