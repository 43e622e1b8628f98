import { createStore, type StoreApi } from "zustand/vanilla";
import type { ExaminerLink } from "#protocol/connect-examiner.ts";
import type { Reply } from "#protocol/trainer.api.ts";
import { PRESETS, type PresetId, type RunConfig } from "#run/run-config.ts";
import type { WireError } from "#run/wire-error.ts";
import type { Examination, LoadedPolicy, PlayedEpisode, PolicySource, Progress } from "#trainer/player/examiner.ts";
import type { Provider } from "#trainer/player/messages.ts";

/** A policy with what it is called and, where it comes from a run, that run's settings. */
export interface Candidate {
  readonly name: string;
  readonly source: PolicySource;
  /** Null where any preset may be chosen for it. */
  readonly config: RunConfig | null;
}

export type Work = "load" | "step" | "play" | "evaluate";

export interface PlayerState {
  readonly preset: PresetId;
  readonly provider: Provider;
  readonly work: Work | null;
  readonly policy: { readonly name: string; readonly loaded: LoadedPolicy } | null;
  readonly fault: string | null;
  readonly episode: PlayedEpisode | null;
  readonly progress: Progress | null;
  readonly examination: Examination | null;
}

export interface PlayerStore extends Pick<StoreApi<PlayerState>, "getState" | "getInitialState" | "subscribe"> {
  load(candidate: Candidate): Promise<void>;
  /** What is loaded is loaded again for the other environment, or by the other provider. */
  choose(choice: { readonly preset: PresetId } | { readonly provider: Provider }): Promise<void>;
  begin(task: number, seed: number): Promise<void>;
  step(): Promise<void>;
  playOut(): Promise<void>;
  evaluate(tasks: number, trials: number): Promise<void>;
  /** Ends what is under way at its next moment. */
  stop(): void;
  /** The model that is loaded, as an ONNX file. */
  onnx(): Promise<Uint8Array<ArrayBuffer> | null>;
  report(fault: string): void;
  /** Takes the fault away. */
  clear(): void;
}

/** Of the tasks and trials of an evaluation here, whatever policy: so that policies can be compared. They are other tasks than a run is evaluated on. */
const PLAYER_SEED = 1;
const IDLE = { episode: null, progress: null, examination: null } as const;

/** @param connect starts the worker; called when something is first to be loaded, and again where it broke down */
export function createPlayerStore(connect: (onCrash: (error: WireError) => void) => ExaminerLink): PlayerStore {
  const store = createStore<PlayerState>(() => ({ preset: "refund-desk", provider: "wasm", work: null, policy: null, fault: null, ...IDLE }));
  const { getState, setState } = store;
  let link: ExaminerLink | null = null;
  let candidate: Candidate | null = null;
  let isStopped = false;

  const linked = (): ExaminerLink => {
    link ??= connect((error) => {
      link = null;
      setState({ ...IDLE, work: null, policy: null, fault: error.message });
    });
    return link;
  };
  /** One piece of work at a time; what it throws away is told. @returns null where there is no answer */
  async function worked<T>(work: Work, ask: (link: ExaminerLink) => Promise<Reply<T>>): Promise<T | null> {
    if (getState().work !== null) return null;
    setState({ work, fault: null });
    isStopped = false;
    const answer = await ask(linked());
    setState({ work: null, progress: null, ...(answer.ok || answer.error.detail["stopped"] === true ? {} : { fault: answer.error.message }) });
    return answer.ok ? answer.value : null;
  }
  const loadAgain = async (): Promise<void> => {
    if (candidate === null) return;
    const { name, source, config } = candidate;
    const { preset, provider } = getState();
    // The bytes go over to the worker: a copy stays for another environment or provider.
    const sent: PolicySource = source.kind === "base" ? source : { kind: source.kind, bytes: source.bytes.slice() };
    setState({ ...IDLE, policy: null });
    const loaded = await worked("load", (to) => to.load(sent, config ?? PRESETS[preset], provider));
    if (loaded !== null) setState({ policy: { name, loaded } });
  };
  const step = async (work: Work): Promise<PlayedEpisode | null> => {
    const episode = await worked(work, (to) => to.step());
    if (episode !== null) setState({ episode });
    return episode;
  };

  return {
    getState,
    getInitialState: store.getInitialState,
    subscribe: store.subscribe,
    async load(next) {
      if (getState().work !== null) return;
      candidate = next;
      if (next.config !== null) setState({ preset: next.config.preset });
      await loadAgain();
    },
    async choose(choice) {
      if (getState().work !== null) return;
      setState(choice);
      // Another environment is played with that preset's settings, not with the run's.
      if ("preset" in choice && candidate !== null) candidate = { ...candidate, config: null };
      await loadAgain();
    },
    async begin(task, seed) {
      const episode = await worked("step", (to) => to.begin(task, seed));
      if (episode !== null) setState({ episode });
    },
    step: async () => void (await step("step")),
    async playOut() {
      while (!isStopped) {
        const episode = await step("play");
        if (episode === null || episode.end !== null) return;
      }
    },
    async evaluate(tasks, trials) {
      setState({ examination: null });
      const examination = await worked("evaluate", (to) =>
        to.evaluate({ split: "heldout", tasks, trials, greedy: false, seed: PLAYER_SEED }, (progress) => setState({ progress })),
      );
      if (examination !== null) setState({ examination });
    },
    stop() {
      isStopped = true;
      if (getState().work === "evaluate") void link?.stop();
    },
    async onnx() {
      const answer = await linked().onnx();
      if (!answer.ok) setState({ fault: answer.error.message });
      return answer.ok ? answer.value : null;
    },
    report: (fault) => setState({ fault }),
    clear: () => setState({ fault: null }),
  };
}
