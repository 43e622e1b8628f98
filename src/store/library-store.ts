import { words } from "#core/words.ts";
import { createStore, type StoreApi } from "zustand/vanilla";
import { PRESETS } from "#run/run-config.ts";
import type { Edit, Listing, Quota, RunLibrary, StoredRun } from "#trainer/library/run-library.ts";
import type { ArchiveFault } from "#trainer/run-archive.ts";

export interface LibraryState {
  /** Null until it was read. */
  readonly listing: Listing | null;
  readonly quota: Quota | null;
  /** Why there is no list, or why the last change was not made. */
  readonly fault: ArchiveFault | null;
  readonly search: string;
  /** What was deleted last and can still be had back. */
  readonly deleted: { readonly name: string; readonly title: string } | null;
}

export interface LibraryStore extends Pick<StoreApi<LibraryState>, "getState" | "getInitialState" | "subscribe"> {
  /** Reads the list now and whenever it changes. @returns what ends that */
  follow(): () => void;
  refresh(): Promise<void>;
  find(search: string): void;
  edit(name: string, edit: Edit): Promise<void>;
  remove(run: StoredRun): Promise<void>;
  undo(): Promise<void>;
  /** Forgets the last deletion's way back, which goes on to lie there for some minutes. */
  dismissUndo(): void;
  /** One run for good; what storage has no room for comes first. */
  purge(name: string): Promise<void>;
}

/** The name a person gave, else what tells it from others at a glance: the credit where it is not the preset's own. */
export function titleOf({ title, config }: Pick<StoredRun, "title" | "config">): string {
  if (title !== "") return title;
  const { id } = config.algorithm.credit;
  const credit = id === PRESETS[config.preset].algorithm.credit.id ? "" : `, ${words(id).toLowerCase()} credit`;
  return `${words(config.preset)}${credit}, seed ${config.seed}`;
}

/** Every word must be found somewhere in what is known of a run; pinned runs come first. */
export function found(runs: readonly StoredRun[], search: string): readonly StoredRun[] {
  const words = search.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const text = (run: StoredRun): string =>
    [titleOf(run), run.note, run.config.preset, `seed ${run.config.seed}`, run.config.algorithm.credit.id, run.config.reward.id, run.standing, new Date(run.savedAt).toLocaleDateString()].join(" ").toLowerCase();
  const hits = runs.filter((run) => words.every((word) => text(run).includes(word)));
  return [...hits.filter(({ isPinned }) => isPinned), ...hits.filter(({ isPinned }) => !isPinned)];
}

export function createLibraryStore(library: RunLibrary): LibraryStore {
  const store = createStore<LibraryState>(() => ({ listing: null, quota: null, fault: null, search: "", deleted: null }));

  let [asked, shown] = [0, 0];
  /** What was asked for first may come last: it is older than what is shown by then. */
  const refresh = async (): Promise<void> => {
    asked += 1;
    const own = asked;
    const isNewer = (): boolean => {
      if (own < shown) return false;
      shown = own;
      return true;
    };
    try {
      const [listing, quota] = await Promise.all([library.list(), library.quota().catch(() => null)]);
      if (isNewer()) store.setState({ listing, quota });
    } catch (error) {
      if (!isNewer()) return;
      store.setState({ listing: { runs: [], unreadable: [] }, fault: { reason: "unavailable", message: error instanceof Error ? error.message : String(error) } });
    }
  };
  const done = async (work: Promise<ArchiveFault | null>): Promise<boolean> => {
    const fault = await work;
    store.setState({ fault });
    await refresh();
    return fault === null;
  };

  return {
    getState: store.getState,
    getInitialState: store.getInitialState,
    subscribe: store.subscribe,
    refresh,
    follow: () => {
      void refresh();
      return library.subscribe(() => void refresh());
    },
    find: (search) => store.setState({ search }),
    edit: async (name, edit) => void (await done(library.edit(name, edit))),
    remove: async (run) => {
      if (await done(library.remove(run.name))) store.setState({ deleted: { name: run.name, title: titleOf(run) } });
    },
    undo: async () => {
      const { deleted } = store.getState();
      if (deleted !== null && (await done(library.restore(deleted.name)))) store.setState({ deleted: null });
    },
    dismissUndo: () => store.setState({ deleted: null }),
    purge: async (name) => void (await done(library.purge(name))),
  };
}
