import { useId, useState } from "react";
import { useStore } from "zustand";
import { MOST_SEEDS } from "#core/seeds.ts";
import { isMadeBy } from "#store/seed-groups.ts";
import { isUnderWay } from "#store/selectors.ts";
import { createSweepStore, FEWEST_SEEDS, sweepSeeds, type SweepState, type SweepStore } from "#store/sweep-store.ts";
import type { Workbench } from "#store/workbench.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { StoredRun } from "#trainer/library/run-library.ts";
import { WholeField } from "../controls/whole-field.tsx";
import { useDraft, useRun, useWorkbench } from "../workbench-context.ts";

const sweeps = new WeakMap<Workbench, SweepStore>();

/** One a page: it goes on while another part of the page is looked at. */
function sweepOf(workbench: Workbench): SweepStore {
  const sweep = sweeps.get(workbench) ?? createSweepStore({ ...workbench, run: workbench.live });
  sweeps.set(workbench, sweep);
  return sweep;
}

/** Seeds of these settings that were trained to the end and are kept. */
const finishedSeeds = (runs: readonly StoredRun[], config: RunConfig): ReadonlySet<number> =>
  new Set(runs.filter((run) => run.standing === "finished" && isMadeBy(run, config)).map((run) => run.config.seed));

/** Trains the settings as edited with several seeds, one after the other. */
export function SweepPanel({ runs }: { readonly runs: readonly StoredRun[] }) {
  const sweep = sweepOf(useWorkbench());
  const state = useStore(sweep);
  const config = useDraft((draft) => draft.config);
  const isWrong = useDraft((draft) => draft.issue !== null);
  const isBusy = useRun("transport", isUnderWay);
  const [count, setCount] = useState(3);
  const id = useId();
  const isSweeping = state?.standing === "under-way";
  const done = finishedSeeds(runs, config);
  const left = sweepSeeds(config.seed, count).filter((seed) => !done.has(seed));
  return (
    <section className="panel runs-panel" aria-labelledby={id}>
      <h2 id={id}>Several seeds</h2>
      <p>
        The settings as edited ({config.preset}, {config.updates} updates), trained once for each seed, one after the other. Seeds of the same settings are one entry in the list.
      </p>
      {isSweeping ? (
        <div className="sweep-form">
          <p role="status">{progressText(state)}</p>
          <a className="btn" href="#/play">
            Look at the run
          </a>
          <button className="btn" type="button" onClick={sweep.stop}>
            Stop all
          </button>
        </div>
      ) : (
        <form
          className="sweep-form"
          onSubmit={(event) => {
            event.preventDefault();
            sweep.start(config, count, done);
          }}
        >
          <WholeField label={`Seeds, ${FEWEST_SEEDS} to ${MOST_SEEDS}`} value={count} least={FEWEST_SEEDS} most={MOST_SEEDS} onChange={setCount} />
          <button className="btn" type="submit" disabled={isWrong || isBusy || left.length === 0}>
            Train {left.length === 1 ? "1 seed" : `${left.length === 0 ? count : left.length} seeds`}
          </button>
          <p className="note" role="status">
            {noteOf({ state, left, count, isBusy, isWrong })}
          </p>
        </form>
      )}
    </section>
  );
}

const progressText = ({ seeds, at }: SweepState): string => `Seed ${seeds[at]}, ${at + 1} of ${seeds.length}. Pause on the bar below pauses all of them.`;

interface Noted {
  readonly state: SweepState | null;
  readonly left: readonly number[];
  readonly count: number;
  readonly isBusy: boolean;
  readonly isWrong: boolean;
}

function noteOf({ state, left, count, isBusy, isWrong }: Noted): string {
  if (isWrong) return "The settings as edited cannot be run: see the recipe.";
  if (isBusy) return "A run is under way: let it end, or reset it.";
  if (state?.standing === "failed") return `Seed ${state.seeds[state.at]} broke down: those after it were not started.`;
  if (left.length === 0) return "All of these seeds are kept already.";
  const seeds = `Seeds ${left.join(", ")}.`;
  return left.length < count ? `${seeds} The others are kept already.` : seeds;
}
