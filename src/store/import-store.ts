import { createStore, type StoreApi } from "zustand/vanilla";
import { BoundaryError, FileError, PolicyError } from "#core/errors.ts";
import { writeCheckpoint } from "#engine/checkpoint.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import { settingsOf } from "#run/settings-changes.ts";
import { importPolicy, MAX_POLICY_FILE, mayAct, type ImportedPolicy } from "#share/import-policy.ts";
import { isGzip, MAX_RUN_FILE, readRunFile, type RunFile } from "#share/run-file-reader.ts";
import type { RunLibrary } from "#trainer/library/run-library.ts";
import type { ArchiveFault } from "#trainer/run-archive.ts";
import type { RunController } from "./run-controller.ts";

/** What a browser's File has. */
export interface HandedFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

export type Imported =
  | { readonly kind: "run"; readonly file: string; readonly run: RunFile; readonly config: RunConfig; readonly stored: string | null; readonly fault: ArchiveFault | null }
  | { readonly kind: "policy"; readonly file: string; readonly policy: ImportedPolicy; /** As safetensors. */ readonly bytes: Uint8Array<ArrayBuffer> }
  /** A model of another tool, as it came: its weights are not laid out as the engine's. */
  | { readonly kind: "foreign"; readonly file: string; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "refused"; readonly file: string; readonly message: string };

export interface ImportState {
  /** The file that is being read. */
  readonly reading: string | null;
  /** What came of the files handed over last, in their order. */
  readonly outcomes: readonly Imported[];
  /** Whether the policy was taken as a start, or why not; by file. */
  readonly taken: ReadonlyMap<string, string>;
}

export interface ImportStore extends Pick<StoreApi<ImportState>, "getState" | "getInitialState" | "subscribe"> {
  /** Reads files one after the other; one that cannot be read leaves its reason and changes nothing. */
  open(files: readonly HandedFile[]): Promise<void>;
  /** The settings that a policy fits, as far as it says: its preset, else those being edited. @returns whether runs now start from it */
  startFrom(outcome: Extract<Imported, { kind: "policy" }>, edited: RunConfig, controller: Pick<RunController, "startFrom">): Promise<boolean>;
  clear(): void;
}

export interface ImportParts {
  readonly library: Pick<RunLibrary, "add">;
  /** Lets the page draw and hear in between. */
  breathe(): Promise<void>;
}

/** The most files read at once: a folder dropped by mistake is not worked through. */
const MOST_FILES = 20;

export function createImportStore({ library, breathe }: ImportParts): ImportStore {
  const store = createStore<ImportState>(() => ({ reading: null, outcomes: [], taken: new Map() }));

  async function read(file: HandedFile): Promise<Imported> {
    const most = Math.max(MAX_RUN_FILE, MAX_POLICY_FILE);
    if (file.size > most) return { kind: "refused", file: file.name, message: `it has ${file.size} bytes; at most ${most} are read` };
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (!isGzip(bytes)) {
        if (bytes.length === 0) throw new FileError("the file is empty");
        if (file.name.endsWith(".gz")) throw new FileError("its name says gzip, its content is something else");
        return policyIn(file.name, bytes);
      }
      const run = await readRunFile(bytes, { breathe });
      const config = settingsOf(run.events, run.snapshot);
      if (config === null) return { kind: "refused", file: file.name, message: "the run has no beginning" };
      const added = await library.add(run);
      return { kind: "run", file: file.name, run, config, ...("name" in added ? { stored: added.name, fault: null } : { stored: null, fault: added.fault }) };
    } catch (error) {
      if (!(error instanceof BoundaryError) && !(error instanceof DOMException)) throw error;
      return { kind: "refused", file: file.name, message: error.message };
    }
  }

  function policyIn(file: string, bytes: Uint8Array<ArrayBuffer>): Imported {
    try {
      const policy = importPolicy(bytes);
      return { kind: "policy", file, policy, bytes: policy.form === "safetensors" ? bytes : writeCheckpoint(policy) };
    } catch (error) {
      if (!(error instanceof PolicyError) || !mayAct(bytes)) throw error;
      return { kind: "foreign", file, bytes };
    }
  }

  return {
    getState: store.getState,
    getInitialState: store.getInitialState,
    subscribe: store.subscribe,
    open: async (files) => {
      store.setState({ outcomes: [], taken: new Map() });
      for (const file of files.slice(0, MOST_FILES)) {
        store.setState({ reading: file.name });
        const outcome = await read(file);
        store.setState(({ outcomes }) => ({ outcomes: [...outcomes, outcome] }));
      }
      const more = files.length - MOST_FILES;
      const left: readonly Imported[] = more > 0 ? [{ kind: "refused", file: more === 1 ? "One more file" : `${more} more files`, message: `at most ${MOST_FILES} are read at once` }] : [];
      store.setState(({ outcomes }) => ({ reading: null, outcomes: [...outcomes, ...left] }));
    },
    startFrom: async ({ file, policy, bytes }, edited, controller) => {
      const { layers, width, context } = policy.model;
      const preset = Object.values(PRESETS).find((known) => known.preset === policy.notes["preset"]) ?? edited;
      const answer = await controller.startFrom(bytes, { ...preset, policy: { ...preset.policy, layers, width, context } });
      const said = answer.ok ? "" : answer.error.message;
      store.setState(({ taken }) => ({ taken: new Map([...taken, [file, said]]) }));
      return answer.ok;
    },
    clear: () => store.setState({ outcomes: [], taken: new Map() }),
  };
}
