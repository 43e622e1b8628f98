import type { Rng } from "#core/chance.ts";
import type { Environment, History, Maybe, Outcome, Task } from "#core/environment.ts";
import { HarnessError, ToolError } from "#core/errors.ts";
import type { Budget, Wording } from "#core/harness.ts";
import type { Completion, SampleRequest } from "#core/policy.ts";
import { drawFrom } from "#core/rng.ts";
import { FREE_STATE } from "#core/tokens.ts";
import type { Ending, Observation, SeenStep, Trajectory, Turn } from "#core/trajectory.ts";
import { Transcript } from "./context.ts";
import { appendObservation, type LoopHarness } from "./tool-loop.ts";

/** What a rollout needs of an environment. */
export type Playable<T extends Task, S> = Pick<Environment<never, T, S>, "reset" | "outcomes" | "anchorKey">;

export interface EpisodeSpec<T extends Task, S> {
  readonly environment: Playable<T, S>;
  readonly harness: LoopHarness;
  readonly task: T;
  readonly groupId: string;
  readonly budget: Budget;
  /** Turn n draws from its forks `turn/n/sample` and `turn/n/outcome`; n counts from the episode's first observation. */
  readonly rng: Rng;
  readonly policyVersion: number;
  /** Whether sampling keeps to the harness's grammar. */
  readonly constrained: boolean;
  readonly varyWording: boolean;
  /** Where to go on from; the turns before it count against the budget and are not part of the trajectory's turns. */
  readonly from?: History<S> | undefined;
  /** The wording `from` was shown in; drawn from `rng` where absent. */
  readonly wording?: Wording | undefined;
}

interface Played {
  readonly trajectory: Trajectory;
  /** Whole history: the steps of `from`, then those of this rollout. */
  readonly seen: readonly SeenStep[];
  readonly wording: Wording;
}
/** The final state of a failed rollout is the last good one, undefined where not even `reset` went well. */
export type Rollout<S> = Played & {
  /** [turns] what each turn acted on: where an episode can be gone on from. */
  readonly states: readonly S[];
} & (
  | { readonly finalState: S; readonly error: undefined }
  | { readonly finalState: S | undefined; readonly error: Error }
);

/** What the sampler is asked for; the scheduler adds the slot. */
export type ActionRequest = Omit<SampleRequest, "slot">;

/** Kind of the observation that stands where the environment threw: nobody saw it, and `seen` does not have it. */
const FAILED = "failed";

/**
 * One rollout as a state machine: `request` says what to sample, `advance` takes what was sampled, until `request` is undefined.
 * A turn starts only if `maxTokens` more tokens fit into `budget.tokens`, and only what starts a turn is written to the sequence:
 * it holds exactly what the policy saw and, at its end, its last action. What the environment throws ends this episode only.
 */
export class Episode<T extends Task, S> {
  readonly wording: Wording;
  readonly #spec: EpisodeSpec<T, S>;
  readonly #maxTokens: number;
  /** Of the turn that is under way; with the whole history, of all turns. */
  #transcript: Transcript;
  /** One for each turn that was started, where each has a context of its own. */
  readonly #transcripts: Transcript[];
  readonly #turns: Turn[] = [];
  readonly #states: S[] = [];
  readonly #seen: SeenStep[];
  #first: Observation;
  #now: { readonly state: S; readonly last: Observation } | undefined;
  #malformed = 0;
  #turn = 0;
  #ending: Ending | undefined;
  #error: Error | undefined;

  constructor(spec: EpisodeSpec<T, S>, maxTokens: number = spec.harness.longestAction) {
    this.#spec = spec;
    this.#maxTokens = maxTokens;
    this.#transcript = new Transcript(Math.min(spec.budget.tokens, 128));
    this.#transcripts = spec.harness.wholeHistory ? [this.#transcript] : [];
    this.#seen = [...(spec.from?.seen ?? [])];
    this.wording = spec.wording ?? spec.harness.wording(spec.rng.fork("wording"), spec.varyWording);
    this.#first = spec.from?.first ?? { kind: FAILED, content: null };
    try {
      this.#open();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The state and what was seen last; undefined only where `reset` failed. */
  get now(): { readonly state: S; readonly last: Observation } | undefined {
    return this.#now;
  }

  /** What to sample next, the same until `advance`; undefined when the episode is over. Its tokens are a view, to be read only. */
  request(): ActionRequest | undefined {
    if (this.#ending !== undefined) return undefined;
    const { constrained, harness, rng } = this.#spec;
    return {
      tokens: this.#transcript.view(),
      automatonState: constrained ? harness.automaton.startState : FREE_STATE,
      rng: rng.fork(`turn/${this.#turn}/sample`),
    };
  }

  /**
   * Takes the action that was sampled. A promise only where the environment gives one.
   * @throws HarnessError when the episode is over or the completion breaks its contract.
   */
  advance({ tokens, logprobs, automatonStates }: Completion): Maybe<void> {
    const { environment, harness } = this.#spec;
    const now = this.#now;
    if (this.#ending !== undefined || now === undefined) throw new HarnessError(`the episode is over: ${this.#ending}`);
    if (tokens.length === 0 || tokens.length > this.#maxTokens) {
      throw new HarnessError(`an action has 1 to ${this.#maxTokens} tokens, got ${tokens.length}`, { tokens: tokens.length });
    }
    if (logprobs.length !== tokens.length || automatonStates.length !== tokens.length) {
      throw new HarnessError(`${tokens.length} tokens came with ${logprobs.length} log-probabilities and ${automatonStates.length} states`);
    }
    const action = harness.parse(tokens);
    const start = this.#transcript.length;
    this.#transcript.appendSampled(tokens, logprobs, automatonStates);
    this.#states.push(now.state);
    let turn = { sequence: this.#transcripts.length - 1, start, end: this.#transcript.length, anchorKey: "", action };
    const settle = (outcomes: readonly Outcome<S>[]): void => this.#settle(turn, this.#draw(outcomes));
    const fail = (error: unknown): void => this.#fail(error, turn);
    try {
      turn = { ...turn, anchorKey: environment.anchorKey(now.state, now.last) };
      if (action.kind === "malformed") {
        this.#malformed += 1;
        this.#settle(turn, { probability: 1, state: now.state, observation: harness.malformed(action), terminated: false, events: [] });
        return undefined;
      }
      const outcomes = environment.outcomes(now.state, action);
      if (outcomes instanceof Promise) return outcomes.then(settle).catch(fail);
      settle(outcomes);
    } catch (error) {
      fail(error);
    }
    return undefined;
  }

  /** @throws HarnessError while the episode goes on. */
  result(): Rollout<S> {
    const ending = this.#ending;
    if (ending === undefined) throw new HarnessError(`the episode goes on: turn ${this.#turn} waits for an action`);
    const { task, groupId, policyVersion } = this.#spec;
    const played = {
      states: this.#states,
      trajectory: {
        taskId: task.id,
        groupId,
        policyVersion,
        sequences: this.#turns.length === 0 ? [] : this.#transcripts.map((transcript) => transcript.sequence()),
        first: this.#first,
        turns: this.#turns,
        ending,
      },
      seen: this.#seen,
      wording: this.wording,
    };
    if (this.#error === undefined && this.#now !== undefined) return { ...played, finalState: this.#now.state, error: undefined };
    return { ...played, finalState: this.#now?.state, error: this.#error ?? new HarnessError("the episode never started") };
  }

  #open(): void {
    const { environment, from, harness, task } = this.#spec;
    const { state, observation: first } = from === undefined ? environment.reset(task) : { state: from.state, observation: from.first };
    this.#first = first;
    this.#now = { state, last: first };
    let last = first;
    for (const [index, { action, observation }] of this.#seen.entries()) {
      if (harness.wholeHistory) {
        appendObservation(this.#transcript, harness.observation(last, this.wording, index === 0), harness.ask(this.wording));
        this.#transcript.append(harness.encode(action), "assistant");
      }
      if (action.kind === "malformed") this.#malformed += 1;
      last = observation;
    }
    this.#turn = this.#seen.length;
    this.#now = { state, last };
    this.#startTurn(last, this.#seen.length === 0);
  }

  #startTurn(observation: Observation, first: boolean): void {
    const { budget, harness } = this.#spec;
    if (this.#turn >= budget.turns || this.#malformed > budget.retries) this.#ending = "truncated";
    else if (!harness.wholeHistory) this.#startSequence();
    else {
      const rendered = harness.observation(observation, this.wording, first);
      if (this.#transcript.length + rendered.tokens.length + 1 + this.#maxTokens > budget.tokens) this.#ending = "truncated";
      else appendObservation(this.#transcript, rendered, harness.ask(this.wording));
    }
  }

  /** A turn whose context does not extend the last one. */
  #startSequence(): void {
    const { budget, harness } = this.#spec;
    const { tokens, spans } = harness.context(this.#first, this.#seen, this.wording);
    const length = tokens.length + this.#maxTokens;
    if (length > budget.tokens) {
      this.#ending = "truncated";
      return;
    }
    this.#transcript = new Transcript(length);
    this.#transcripts.push(this.#transcript);
    for (const { start, end, role } of spans) this.#transcript.append(tokens.subarray(start, end), role);
  }

  #draw(outcomes: readonly Outcome<S>[]): Outcome<S> {
    const index = outcomes.length === 1 ? 0
      : drawFrom(this.#spec.rng.fork(`turn/${this.#turn}/outcome`), outcomes.map(({ probability }) => probability));
    const outcome = outcomes[index];
    if (outcome === undefined) throw new ToolError("an environment must list at least one outcome, got none");
    return outcome;
  }

  #settle(turn: Omit<Turn, "observation" | "events">, { state, observation, terminated, events }: Outcome<S>): void {
    this.#turns.push({ ...turn, observation, events });
    this.#seen.push({ action: turn.action, observation });
    this.#turn += 1;
    this.#now = { state, last: observation };
    if (terminated) this.#ending = "terminated";
    else this.#startTurn(observation, false);
  }

  #fail(error: unknown, turn?: Omit<Turn, "observation" | "events">): void {
    this.#ending = "failed";
    this.#error = error instanceof Error ? error : new Error(String(error));
    // Where the next observation could not be rendered, the turn is complete already.
    const last = this.#turns.at(-1);
    if (turn === undefined || (last?.sequence === turn.sequence && last.start === turn.start)) return;
    this.#turns.push({ ...turn, observation: { kind: FAILED, content: this.#error.message }, events: [] });
  }
}
