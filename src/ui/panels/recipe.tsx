import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import { ENVIRONMENTS } from "#environments/registry.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import { isLocked } from "#share/link-extras.ts";
import { valueAt } from "#store/config-path.ts";
import { settingsChanged, type DraftState } from "#store/draft-store.ts";
import { ByHand } from "../board/by-hand.tsx";
import { changeText, issueText } from "../controls/change-text.ts";
import { titleAt } from "../controls/field.ts";
import { SchemaForm, type FormSection } from "../controls/schema-form.tsx";
import { words } from "../format.ts";
import { Notice } from "../shell/notice.tsx";
import { useDraft, useRun, useWorkbench } from "../workbench-context.ts";
import { RecipeChoice } from "./recipe-choice.tsx";

/** Short enough for half a column. */
const LOCKED = "Locked by the link";

/** The settings that matter for what the page shows; all others keep the preset's values. */
const sectionsFor = (id: keyof typeof ENVIRONMENTS): readonly FormSection[] => [
  {
    title: "Task and start",
    rows: [
      [{ path: "preset" }],
      [{ path: "environment" }],
      [
        { path: "environment.maxOrders" },
        { path: "from", options: [{ value: "base", title: "Base" }, { value: "blank", title: "Blank" }] },
      ],
      [{ path: "environment.size" }, { path: "environment.boxes" }],
      [{ path: "environment.minPushes" }, { path: "environment.maxPushes" }],
      [{ path: "environment.maxMoves" }, { path: "environment.wallShare" }],
    ],
  },
  { title: "Reward", rows: [[{ path: "reward" }], [{ path: "reward.check", options: ENVIRONMENTS[id].checks.map((check) => ({ value: check, title: words(check) })) }]] },
  { title: "Credit", rows: [[{ path: "algorithm.credit" }], [{ path: "algorithm.credit.std" }]] },
  {
    title: "Batch and step",
    rows: [
      [{ path: "algorithm.groupSize" }, { path: "algorithm.groupsPerUpdate" }],
      [{ path: "algorithm.learningRate" }, { path: "updates" }],
    ],
  },
  { title: "Decoding", rows: [[{ path: "harness.constrained" }], [{ path: "harness.varyWording" }], [{ path: "harness.observations" }, { path: "harness.grid" }]] },
  { title: "Chance", rows: [[{ path: "seed" }]] },
];

/** What a choice of a known algorithm would change. */
const ALGORITHM = ["algorithm.credit", "algorithm.objective", "reward", "algorithm.groupSize", "algorithm.learningRate", "policy"];

/** What a person added stays where the other preset has a place for it. */
const withOwnPlays = (preset: RunConfig, plays: unknown): RunConfig =>
  typeof plays === "string" && "plays" in preset.environment ? { ...preset, environment: { ...preset.environment, plays } } : preset;

export function RecipePanel() {
  const { draft, gate, links } = useWorkbench();
  const state = useDraft((whole) => whole);
  // What was set in the markup has been heard by all fields by now.
  useLayoutEffect(() => gate.release("markup"), [gate]);
  const locks = useStore(links, (opened) => opened.locks);
  const lockOf = useCallback((path: string) => (isLocked(locks, path) ? LOCKED : null), [locks]);
  const [explain, setExplain] = useState(false);
  const environment = state.config.environment.id;
  const sections = useMemo(() => sectionsFor(environment), [environment]);
  const change = useCallback(
    (path: string, value: unknown) => {
      // An environment comes with the harness, the policy and the base that were made for it.
      const wanted = path === "environment" ? valueAt(value, "id") : path === "preset" ? value : undefined;
      const preset = Object.values(PRESETS).find((known) => known.preset === wanted || (path === "environment" && known.environment.id === wanted));
      if (preset === undefined) draft.set(path, value);
      else draft.replace(withOwnPlays(preset, valueAt(draft.getState().config, "environment.plays")));
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
      {locks.length > 0 && (
        <p className="recipe-locks">
          Some controls are locked by the link, so that a class stays together.{" "}
          <button className="btn btn-sm" type="button" onClick={links.unlock}>
            Unlock
          </button>
        </p>
      )}
      <RecipeChoice config={state.config} explain={explain} lock={ALGORITHM.some((path) => isLocked(locks, path)) ? LOCKED : null} onChoose={draft.replace} />
      <SchemaForm label="Recipe" sections={sections} draft={state.draft} issue={state.issue} explain={explain} lockOf={lockOf} onChange={change} />
      <ByHand />
      <div role="status">
        <Pending state={state} />
      </div>
    </>
  );
}

const CHANGES_NAMED = 2;

/** The form becomes lower when something comes below it: what is being edited stays in view, with what is said of it. */
function FieldInView() {
  useEffect(() => {
    const field = document.activeElement?.closest(".recipe form *");
    for (const part of [field?.closest(".field")?.querySelector(".field-error"), field]) part?.scrollIntoView({ block: "nearest" });
  }, []);
  return null;
}

/** Edits never reach a run under way: this says so, and how to make them count. */
function Pending({ state }: { readonly state: DraftState }) {
  const { controller, draft } = useWorkbench();
  const running = useRun("transport", (run) => run.config);
  const changed = settingsChanged(state, running);
  const { issue } = state;
  if (issue !== null) {
    const isInForm = sectionsFor(state.config.environment.id).some(({ rows }) => rows.flat().some(({ path }) => path === issue.path));
    // Its field says it, and nothing stands below the form while there is no run.
    if (isInForm && running === null) return null;
    return (
      <Notice icon="warning" title={isInForm ? `${titleAt(state.draft, issue.path)} is not allowed` : "These settings do not fit together"}>
        <p>{issueText(state.draft, issue)}</p>
        <div className="actions">
          <button className="btn btn-sm" type="button" onClick={() => draft.replace(state.config)}>
            Undo
          </button>
        </div>
        <FieldInView key={issue.path} />
      </Notice>
    );
  }
  if (running === null || changed.length === 0) return null;
  const named = changed.slice(0, CHANGES_NAMED).map((change) => changeText(state.draft, change));
  const more = changed.length - named.length;
  return (
    <Notice icon="reset" title="Settings changed: restart to apply">
      <p>
        {named.join(", ")}
        {more > 0 ? `, and ${more} more` : ""}.
      </p>
      <div className="actions">
        <button className="btn btn-sm" type="button" onClick={() => controller.restart()}>
          Restart
        </button>
        <button className="btn btn-sm btn-quiet" type="button" onClick={() => draft.replace(running)}>
          Undo
        </button>
      </div>
      <FieldInView />
    </Notice>
  );
}
