import { createStore, type StoreApi } from "zustand/vanilla";
import { ConfigError } from "#core/errors.ts";
import { parseRunConfig, type RunConfig } from "#run/run-config.ts";
import { changes, withValue, type Change } from "./config-path.ts";

export interface DraftIssue {
  /** Of the setting that is wrong; "" for the whole. */
  readonly path: string;
  readonly message: string;
}

export interface DraftState {
  /** As edited, valid or not. */
  readonly draft: unknown;
  /** The last valid one: what Run takes when there is no issue. */
  readonly config: RunConfig;
  readonly issue: DraftIssue | null;
}

export interface DraftStore extends Pick<StoreApi<DraftState>, "getState" | "getInitialState" | "subscribe"> {
  set(path: string, value: unknown): void;
  replace(config: RunConfig): void;
}

/** The settings being edited. They apply at the next start, never silently to a run under way. */
export function createDraftStore(initial: RunConfig): DraftStore {
  const store = createStore<DraftState>(() => ({ draft: initial, config: initial, issue: null }));
  return {
    getState: store.getState,
    getInitialState: store.getInitialState,
    subscribe: store.subscribe,
    set: (path, value) => {
      const draft = withValue(store.getState().draft, path, value);
      try {
        store.setState({ draft, config: parseRunConfig(draft), issue: null });
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        store.setState({ draft, issue: { path: String(error.detail["path"] ?? ""), message: error.message } });
      }
    },
    replace: (config) => store.setState({ draft: config, config, issue: null }),
  };
}

/** What a restart would change; empty while nothing has been run. */
export const settingsChanged = ({ config }: DraftState, running: RunConfig | null): readonly Change[] =>
  running === null ? [] : changes(running, config);
