import { createStore, type StoreApi } from "zustand/vanilla";
import { MOST_SEEDS } from "#core/seeds.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { DraftStore } from "./draft-store.ts";
import type { ReadableRun } from "./paced-store.ts";
import type { RunController } from "./run-controller.ts";
import type { RunState } from "./run-state.ts";
import { isUnderWay } from "./selectors.ts";
import { seedlessKey } from "./seed-groups.ts";

export const FEWEST_SEEDS = 2;

/** Several runs of one configuration that differ in their seed, one after the other. */
export interface SweepState {
  readonly config: RunConfig;
  readonly seeds: readonly number[];
  /** Place of the seed that is trained, or was last. */
  readonly at: number;
  /** "given-up": a person stopped it, or started something else. */
  readonly standing: "under-way" | "finished" | "failed" | "given-up";
}

export interface SweepStore extends Pick<StoreApi<SweepState | null>, "getState" | "getInitialState" | "subscribe"> {
  /** Seeds that follow the configuration's own; those in `done` are kept already and left out. @returns whether anything was left to train */
  start(config: RunConfig, count: number, done: ReadonlySet<number>): boolean;
  /** Stops the run under way and with it those that would have come. */
  stop(): void;
  dispose(): void;
}

export interface SweepParts {
  readonly run: Pick<ReadableRun, "getState" | "subscribe">;
  readonly draft: Pick<DraftStore, "set">;
  readonly controller: Pick<RunController, "startWith" | "reset">;
}

/** The largest seed there is. */
const LAST_SEED = 4294967295;

/** The configuration's seed and those after it; from the first one again behind the last. */
export const sweepSeeds = (first: number, count: number): readonly number[] => Array.from({ length: count }, (_, index) => (first + index) % (LAST_SEED + 1));

/**
 * Starts the next seed when a run has finished. Pausing the run pauses the sweep, as there is nothing else to it; a run that breaks down
 * and goes on is the same run still.
 */
export function createSweepStore({ run, draft, controller }: SweepParts): SweepStore {
  const store = createStore<SweepState | null>(() => null);

  const train = (state: SweepState): void => {
    const seed = state.seeds[state.at];
    if (seed === undefined) return;
    store.setState(state, true);
    draft.set("seed", seed);
    controller.startWith({ ...state.config, seed });
  };
  const end = (state: SweepState, standing: SweepState["standing"]): void => store.setState({ ...state, standing }, true);
  const look = (now: RunState): void => {
    const state = store.getState();
    if (state?.standing !== "under-way") return;
    if (now.status === "idle" || now.config === null || now.config.seed !== state.seeds[state.at] || seedlessKey(now.config) !== seedlessKey(state.config)) end(state, "given-up");
    else if (now.status === "failed") end(state, "failed");
    else if (now.status === "finished" && now.finished !== null) {
      if (state.at + 1 < state.seeds.length) train({ ...state, at: state.at + 1 });
      else end(state, "finished");
    }
  };
  const unsubscribe = run.subscribe((now, before) => {
    if (now.status !== before.status || now.config !== before.config) look(now);
  });

  return {
    getState: store.getState,
    getInitialState: store.getInitialState,
    subscribe: store.subscribe,
    start: (config, count, done) => {
      const seeds = sweepSeeds(config.seed, Math.min(MOST_SEEDS, Math.max(FEWEST_SEEDS, count))).filter((seed) => !done.has(seed));
      if (seeds.length === 0) return false;
      train({ config, seeds, at: 0, standing: "under-way" });
      return true;
    },
    stop: () => {
      if (isUnderWay(run.getState())) controller.reset();
      const state = store.getState();
      if (state?.standing === "under-way") end(state, "given-up");
    },
    dispose: unsubscribe,
  };
}
