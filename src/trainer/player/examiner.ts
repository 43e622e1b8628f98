import type { Services, Task } from "#core/environment.ts";
import { ConfigError, PolicyError } from "#core/errors.ts";
import type { Completion, PolicyBackend } from "#core/policy.ts";
import { createRng } from "#core/rng.ts";
import type { Action, Ending, Observation } from "#core/trajectory.ts";
import { readCheckpoint, type Checkpoint } from "#engine/checkpoint.ts";
import type { Executor } from "#engine/executor.ts";
import { layoutOf } from "#engine/model.ts";
import { exportOnnx } from "#engine/onnx/export.ts";
import { readPolicyModel, type PolicyModel } from "#engine/onnx/policy-model.ts";
import { createPolicy, type EnginePolicy } from "#engine/policy-backend.ts";
import { Episode } from "#harness/episode.ts";
import type { Round } from "#harness/scheduler.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { EvaluationReport } from "#run/run-event.ts";
import { withArena, type Arena } from "../arena.ts";
import { evaluate, type EvaluationRequest } from "../evaluate.ts";
import { policyOptionsOf } from "../open-policy.ts";
import type { Provider } from "./messages.ts";
import { createPlayerPolicy, refuseUnlessCausal, warmShapes, type PlayingPolicy } from "./player-policy.ts";
import { PlayerQueue, type QueueParts } from "./queue.ts";
import { EPISODE_TASKS } from "./tasks.ts";

/** Where a policy comes from: a file somebody else wrote, weights of the engine, or the preset's own base policy. */
export type PolicySource =
  | { readonly kind: "onnx" | "safetensors"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "base" };

export interface LoadedPolicy extends Omit<PolicyModel, "own"> {
  readonly bytes: number;
  readonly provider: Provider;
  readonly vocabulary: number;
  readonly context: number;
  /** What the native engine plays beside it: the same weights, or where the file holds none that it knows, the base policy. */
  readonly beside: "same" | "base";
}

export interface PlayedTurn {
  readonly action: Action;
  readonly observation: Observation;
  readonly tokens: readonly { readonly word: string; readonly logprob: number }[];
  /** The native engine's tokens for the same context and draws. */
  readonly native: { readonly words: readonly string[]; readonly isSame: boolean; readonly largestDifference: number };
}

export interface PlayedEpisode {
  readonly task: number;
  readonly first: Observation;
  readonly turns: readonly PlayedTurn[];
  /** Null while it goes on. */
  readonly end: { readonly ending: Ending; readonly success: boolean; readonly error: string | null } | null;
}

export interface Examination {
  readonly player: EvaluationReport;
  readonly native: EvaluationReport;
}

export interface Progress extends Round {
  readonly who: "player" | "native";
}

export interface ExaminerParts {
  executor(): Promise<Executor>;
  /** The policy that a preset starts from. */
  base(preset: string): Promise<Checkpoint>;
  readonly queue: QueueParts;
  readonly services: Partial<Services>;
}

/** One policy at one table: the environment of a configuration. */
interface Table {
  begin(task: number, seed: number): PlayedEpisode;
  /** One more turn. */
  step(): Promise<PlayedEpisode>;
  evaluate(request: EvaluationRequest, onProgress: (progress: Progress) => void): Promise<Examination>;
}

/** Of either policy's cache. */
const SLOT = 0;

function createTable<T extends Task, S>(arena: Arena<T, S>, player: PlayingPolicy, native: EnginePolicy, breathe: () => Promise<void>): Table {
  const { words } = arena.harness.vocabulary;
  const limit = arena.harness.longestAction;
  let playing: { readonly task: number; readonly of: T; readonly episode: Episode<T, S>; readonly turns: PlayedTurn[]; readonly first: Observation } | undefined;
  let end: PlayedEpisode["end"] = null;
  const tasks = arena.tasks("heldout", EPISODE_TASKS, createRng(1).fork("player/tasks"));
  const shown = (): PlayedEpisode => {
    if (playing === undefined) throw new PolicyError("no episode was begun");
    const { task, first, turns } = playing;
    return { task, first, turns: [...turns], end };
  };
  const turnOf = (completion: Completion, beside: Completion, action: Action, observation: Observation): PlayedTurn => {
    const isSame = completion.tokens.join() === beside.tokens.join();
    const differences = Array.from(completion.logprobs, (logprob, at) => Math.abs(logprob - (beside.logprobs[at] ?? Number.NaN)));
    return {
      action, observation,
      tokens: Array.from(completion.tokens, (token, at) => ({ word: words[token] ?? "?", logprob: completion.logprobs[at] ?? 0 })),
      native: { words: Array.from(beside.tokens, (token) => words[token] ?? "?"), isSame, largestDifference: isSame ? Math.max(0, ...differences) : Number.NaN },
    };
  };
  return {
    begin(task, seed) {
      const of = tasks[task];
      if (of === undefined) throw new ConfigError(`task is ${task}, allowed are 0 to ${tasks.length - 1}`);
      const rng = createRng(seed).fork(`player/${task}`);
      const episode = new Episode(arena.spec(of, "player", rng, 0), limit);
      end = null;
      playing = { task, of, episode, turns: [], first: arena.environment.reset(of).observation };
      return shown();
    },
    async step() {
      if (playing === undefined || end !== null) return shown();
      const { episode, turns, of, first } = playing;
      const request = episode.request();
      if (request !== undefined) {
        // Every request comes with the turn's draws from their start.
        const ask = (policy: Pick<PolicyBackend, "sample">) => policy.sample([{ ...(episode.request() ?? request), slot: SLOT }], { greedy: false, maxTokens: limit });
        const [[completion], [beside]] = [await ask(player), await ask(native)];
        if (completion === undefined || beside === undefined) throw new PolicyError("the policy gave no action");
        await episode.advance(completion);
        turns.push(turnOf(completion, beside, arena.harness.parse(completion.tokens), episode.now?.last ?? first));
      }
      if (episode.request() === undefined) {
        const { trajectory, seen, finalState, error } = episode.result();
        const verdict = finalState === undefined || error !== undefined ? undefined : await arena.environment.verdict(of, finalState, seen, trajectory.ending);
        end = { ending: trajectory.ending, success: verdict?.success ?? false, error: error?.message ?? null };
      }
      return shown();
    },
    async evaluate(request, onProgress) {
      const gate = (who: Progress["who"]) => async (round: Round): Promise<void> => {
        onProgress({ who, ...round });
        await breathe();
      };
      const own = await evaluate(arena, player, request, gate("player"));
      return { player: own, native: await evaluate(arena, native, request, gate("native")) };
    },
  };
}

const asOnnx = ({ model, weights }: Checkpoint): Uint8Array<ArrayBuffer> => exportOnnx(layoutOf(model), weights);

/** Lets policies of onnxruntime-web act, beside the native engine. One policy at a time. */
export class Examiner {
  readonly #parts: ExaminerParts;
  #open: { readonly queue: PlayerQueue; readonly native: EnginePolicy; readonly executor: Executor; readonly table: Table; readonly onnx: Uint8Array<ArrayBuffer> } | undefined;
  #isStopped = false;

  constructor(parts: ExaminerParts) {
    this.#parts = parts;
  }

  /** @throws PolicyError where the policy does not fit the environment, or cannot be run */
  async load(source: PolicySource, config: RunConfig, provider: Provider): Promise<LoadedPolicy> {
    const bytes = source.kind === "onnx" ? source.bytes : asOnnx(source.kind === "base" ? await this.#parts.base(config.preset) : readCheckpoint(source.bytes));
    return withArena(config, async (arena) => {
      const fit = { vocabulary: arena.harness.vocabulary.words.length, context: config.policy.context };
      const { own, ...model } = readPolicyModel(bytes, fit);
      const queue = new PlayerQueue(this.#parts.queue, { bytes, provider, warm: warmShapes(fit.context) });
      const watched: Pick<PlayerQueue, "run"> = {
        run: (...call) => {
          this.#refuseStopped();
          return queue.run(...call);
        },
      };
      let [executor, native]: [Executor | undefined, EnginePolicy | undefined] = [undefined, undefined];
      try {
        await queue.open();
        await refuseUnlessCausal(queue, model, fit.vocabulary, fit.context);
        executor = await this.#parts.executor();
        const { model: size, weights } = own ?? (await this.#parts.base(config.preset));
        native = createPolicy(executor, { ...policyOptionsOf(config, arena), model: size }, weights);
        const table = createTable(arena, createPlayerPolicy(watched, model, arena.harness.automaton, fit.context), native, () => this.#breathe());
        this.close();
        this.#open = { queue, native, executor, onnx: bytes, table };
      } catch (error) {
        // What was loaded before stays.
        queue.dispose();
        native?.dispose();
        executor?.dispose();
        throw error;
      }
      return { ...model, ...fit, bytes: bytes.length, provider, beside: own === undefined ? "base" : "same" };
    }, this.#parts.services);
  }

  begin(task: number, seed: number): PlayedEpisode {
    return this.#opened().table.begin(task, seed);
  }

  step(): Promise<PlayedEpisode> {
    this.#isStopped = false;
    return this.#opened().table.step();
  }

  evaluate(request: EvaluationRequest, onProgress: (progress: Progress) => void): Promise<Examination> {
    this.#isStopped = false;
    return this.#opened().table.evaluate(request, onProgress);
  }

  /** Ends the evaluation under way with an error. */
  stop(): void {
    this.#isStopped = true;
  }

  /** The model as it is run. */
  onnx(): Uint8Array<ArrayBuffer> {
    return this.#opened().onnx.slice();
  }

  close(): void {
    this.#open?.queue.dispose();
    this.#open?.native.dispose();
    this.#open?.executor.dispose();
    this.#open = undefined;
  }

  #opened() {
    if (this.#open === undefined) throw new PolicyError("no policy is loaded");
    return this.#open;
  }

  /** Commands are heard between two rounds, of which the native engine's have no wait in them. */
  async #breathe(): Promise<void> {
    await new Promise<void>((resolve) => void this.#parts.queue.after(0, resolve));
    this.#refuseStopped();
  }

  #refuseStopped(): void {
    if (this.#isStopped) throw new PolicyError("the evaluation was stopped", { stopped: true });
  }
}
