import type { Rng } from "#core/chance.ts";
import type { Outcome, Task } from "#core/environment.ts";
import { PolicyError } from "#core/errors.ts";
import { canonical } from "#core/json.ts";
import type { PolicyBackend } from "#core/policy.ts";
import { drawFrom } from "#core/rng.ts";
import { wilsonInterval } from "#core/statistics.ts";
import type { Action, Json, SeenStep, TurnEvent } from "#core/trajectory.ts";
import type { EpisodeSpec, Rollout } from "#harness/episode.ts";
import { rollouts } from "#harness/scheduler.ts";
import type { ForkOptions, ForkRequest, ForkResult } from "#run/assessment.ts";
import type { MemberRecord } from "#run/run-event.ts";
import type { Arena, JudgedRollout } from "../arena.ts";
import { memberRecord } from "../group-record.ts";
import type { Gate } from "../runtime.ts";
import { BeliefStore, observationText } from "../truth/belief.ts";
import { ChoiceTable, contextOf, tokensText } from "../truth/choices.ts";
import { Pace } from "../truth/pace.ts";
import type { SampledGroup } from "./batches.ts";
import { spliced } from "./splice.ts";

/** Continuations in full, and most options of a kind that are listed. */
const RECORDS = 3;
const LISTED = 24;
const MOST_CONTINUATIONS = 256;
/** Worlds drawn for what the environment may answer where they are not all known. */
const WORLDS = 256;
const CONCURRENCY = 192;

type Scene<T extends Task, S> = Pick<Arena<T, S>, "environment" | "harness" | "budget" | "constrained" | "worlds">;

export interface ForkParts<T extends Task, S> {
  readonly arena: Scene<T, S>;
  /** Holds the weights that sampled the group. */
  readonly policy: Pick<PolicyBackend, "sample" | "nextLogprobs">;
  readonly rng: Rng;
  readonly gate: Gate;
}

type GroupOfTurns<T, S> = Pick<SampledGroup<T, S>, "task" | "judged">;

/** A turn of a sampled trajectory, and what was seen before it. */
interface Place<T, S> {
  readonly task: T;
  readonly rollout: JudgedRollout<S>;
  readonly at: number;
  readonly turn: JudgedRollout["trajectory"]["turns"][number];
  readonly seen: readonly SeenStep[];
}

/** @throws PolicyError where there is no such turn */
function placeOf<T, S>({ task, judged }: GroupOfTurns<T, S>, member: number, at: number): Place<T, S> {
  const rollout = judged[member];
  const turn = rollout?.trajectory.turns[at];
  if (!rollout || !turn) {
    const there = rollout ? `${rollout.trajectory.turns.length} turns` : `${judged.length} trajectories`;
    throw new PolicyError(`there is no turn ${at + 1} of trajectory ${member + 1}: there are ${there}`, { member, turn: at });
  }
  return { task, rollout, at, turn, seen: rollout.trajectory.turns.slice(0, at).map(({ action, observation }) => ({ action, observation })) };
}

/** What could have been done at a turn, and what could have been answered. @throws what the gate throws */
export async function optionsAt<T extends Task, S>({ arena, policy, rng, gate }: ForkParts<T, S>, group: GroupOfTurns<T, S>, member: number, at: number): Promise<ForkOptions> {
  const { task, rollout: { trajectory: { first }, wording }, turn, seen } = placeOf(group, member, at);
  const { harness, constrained, environment } = arena;
  const pace = new Pace(gate);
  const context = contextOf(harness.context(first, seen, wording).tokens);
  const taken = tokensText(harness.encode(turn.action));
  const table = new ChoiceTable({ policy, harness, constrained, wanted: new Map([[context.text, new Set([taken])]]), pace, rng });
  await table.ask([context]);
  const actions = table.at(context).list.filter(({ written }, index) => index < LISTED || written.text === taken);
  return { actions: actions.map(({ written: { action }, probability }) => ({ action, probability })), answers: await answersAt() };

  async function answersAt(): Promise<ForkOptions["answers"]> {
    const { action, observation } = turn;
    if (action.kind === "malformed") return [{ observation: harness.malformed(action), probability: 1 }];
    const { worlds } = arena.worlds(task, first, seen, rng.fork("worlds"), WORLDS);
    const beliefs = new BeliefStore(environment, pace);
    const belief = beliefs.keep({ tasks: worlds.map((world) => world.task), states: worlds.map(({ state }) => state), weights: worlds.map(({ probability }) => probability) });
    const listed = (await beliefs.answers(belief, { text: taken, tokens: harness.encode(action), action })).toSorted((a, b) => b.probability - a.probability);
    const own = observationText(observation);
    const shown = listed.filter(({ text }, index) => index < LISTED || text === own).map((answer) => ({ observation: answer.observation, probability: answer.probability }));
    // Of very many answers those drawn may miss the one that was given.
    return listed.some(({ text }) => text === own) ? shown : [...shown, { observation, probability: 0 }];
  }
}

interface Behind<T, S> {
  readonly task: T;
  readonly state: S;
}
type Weighed<W> = W & { readonly probability: number };

/** In proportion to their weights; undefined of none. */
function drawn<W extends { readonly probability: number }>(worlds: readonly W[], rng: Rng): W | undefined {
  const total = worlds.reduce((sum, { probability }) => sum + probability, 0);
  return worlds[drawFrom(rng, worlds.map(({ probability }) => probability / total))];
}

/** Where one continuation starts: after the turn as it went this time. */
interface Start<T, S> extends Behind<T, S> {
  readonly step: SeenStep;
  readonly events: readonly TurnEvent[];
  readonly isOver: boolean;
}

const isSame = (a: unknown, b: unknown): boolean => canonical(a as Json) === canonical(b as Json);

class Fork<T extends Task, S> {
  readonly #parts: ForkParts<T, S>;
  readonly #place: Place<T, S>;
  readonly #request: ForkRequest;

  constructor(parts: ForkParts<T, S>, place: Place<T, S>, request: ForkRequest) {
    this.#parts = parts;
    this.#place = place;
    this.#request = request;
  }

  get action(): Action {
    const { edit } = this.#request;
    return edit.kind === "action" ? edit.action : this.#place.turn.action;
  }

  /** @throws PolicyError when the edit cannot be */
  async starts(): Promise<readonly Start<T, S>[]> {
    const { edit, count } = this.#request;
    const { rng, gate } = this.#parts;
    const starts: Start<T, S>[] = [];
    const answering = edit.kind === "answer" ? await this.#answering(edit.observation) : [];
    const before = edit.kind === "answer" ? [] : this.#before();
    for (let number = 0; number < count; number += 1) {
      if (number % 64 === 63) await gate();
      const stream = rng.fork(`continuation/${number}`);
      const world = drawn(before, stream.fork("world"));
      const start = world ? await this.#acted(world, stream.fork("outcome")) : drawn(answering, stream.fork("world"));
      if (start) starts.push(start);
    }
    return starts;
  }

  /** What may be behind the history before the turn: as it was, or all that looks alike. */
  #before(): readonly Weighed<Behind<T, S>>[] {
    const { rollout, at, task } = this.#place;
    if (this.#request.given === "history") return this.#alike();
    const state = rollout.states[at];
    if (state === undefined) throw new PolicyError(`the state before turn ${at + 1} was not kept`);
    return [{ probability: 1, task, state }];
  }

  #alike(): readonly Weighed<Behind<T, S>>[] {
    const { arena, rng } = this.#parts;
    const { task, rollout: { trajectory }, seen } = this.#place;
    return arena.worlds(task, trajectory.first, seen, rng.fork("worlds"), WORLDS).worlds;
  }

  async #outcomes(state: S): Promise<readonly Outcome<S>[]> {
    const { harness, environment } = this.#parts.arena;
    const { action } = this;
    if (action.kind === "malformed") return [{ probability: 1, state, observation: harness.malformed(action), terminated: false, events: [] }];
    return environment.outcomes(state, action);
  }

  async #acted({ task, state }: Behind<T, S>, rng: Rng): Promise<Start<T, S>> {
    const outcomes = await this.#outcomes(state);
    const outcome = outcomes[drawFrom(rng, outcomes.map(({ probability }) => probability))] as Outcome<S>;
    return this.#after(task, outcome);
  }

  #after(task: T, { state, observation, events, terminated }: Outcome<S>): Start<T, S> {
    return { task, state, step: { action: this.action, observation }, events, isOver: terminated };
  }

  /**
   * What may be behind the edited answer: of the ways things may be before it, those that can give it, each weighed with how likely it
   * does. Where the episode's own cannot, all that look alike are asked. @throws PolicyError when none can
   */
  async #answering(observation: SeenStep["observation"]): Promise<readonly Weighed<Start<T, S>>[]> {
    for (const worlds of [this.#before(), this.#alike()]) {
      const found: Weighed<Start<T, S>>[] = [];
      for (const world of worlds) {
        for (const outcome of await this.#outcomes(world.state)) {
          const probability = world.probability * outcome.probability;
          if (probability > 0 && isSame(outcome.observation, observation)) found.push({ ...this.#after(world.task, outcome), probability });
        }
      }
      if (found.length > 0) return found;
    }
    throw new PolicyError("the environment cannot answer so: nothing that fits what was seen before gives this answer", { kind: observation.kind });
  }

  spec({ task, state, step }: Start<T, S>, number: number): EpisodeSpec<T, S> {
    const { arena: { environment, harness, budget, constrained }, rng } = this.#parts;
    const { rollout: { trajectory: { first, groupId, policyVersion }, wording }, seen } = this.#place;
    return {
      environment, harness, task, groupId, budget, policyVersion, constrained, wording, varyWording: false,
      rng: rng.fork(`continuation/${number}/episode`), from: { first, seen: [...seen, step], state },
    };
  }

  /** @param played undefined where the episode ended with the fork */
  async member({ task, state, step, events }: Start<T, S>, played: Rollout<S> | undefined): Promise<{ readonly success: boolean; record(): Promise<MemberRecord> } | null> {
    const { arena, policy, rng } = this.#parts;
    const { rollout: { trajectory }, turn, at, seen } = this.#place;
    const final = played ? played.finalState : state;
    if (final === undefined || played?.error) return null;
    const ending = played?.trajectory.ending ?? "terminated";
    const verdict = await arena.environment.verdict(task, final, played?.seen ?? [...seen, step], ending);
    const isOwn = this.#request.edit.kind === "answer";
    const own = trajectory.sequences[turn.sequence]?.tokens.subarray(turn.start, turn.end);
    const tokens = isOwn && own ? own : arena.harness.encode(this.action);
    const after = played?.trajectory ?? { ...trajectory, sequences: [], turns: [], ending };
    return {
      success: verdict.success,
      record: () => {
        const whole = spliced(trajectory, at, { ...step, events, tokens, sampled: isOwn }, { ...after, taskId: task.id }, arena.harness.wholeHistory);
        const rewards = { perTurn: new Float32Array(whole.turns.length), terminal: verdict.success ? 1 : 0 };
        return memberRecord(arena, policy, task, { trajectory: whole, verdict, rewards }, { perTurn: new Float32Array(whole.turns.length) }, rng);
      },
    };
  }
}

/** @throws PolicyError when the policy could not write the action */
function checkAction<T extends Task, S>({ harness }: Scene<T, S>, { edit }: ForkRequest): void {
  if (edit.kind === "answer") return void harness.observation(edit.observation, { variant: 0 }, false);
  if (!isSame(harness.parse(harness.encode(edit.action)), edit.action)) throw new PolicyError("the policy has no way to write this action", { kind: edit.action.kind });
}

/**
 * Goes on from a turn with another action or another answer, as often as asked, each time with its own chance. The members' own
 * trajectories are not touched. @throws PolicyError, or HarnessError for words the policy does not know, when the edit cannot be; what
 * the gate throws
 */
export async function forkAt<T extends Task, S>(parts: ForkParts<T, S>, group: GroupOfTurns<T, S>, request: ForkRequest): Promise<ForkResult> {
  const { arena, policy, gate } = parts;
  if (!(Number.isInteger(request.count) && request.count >= 1 && request.count <= MOST_CONTINUATIONS))
    throw new PolicyError(`got ${request.count} continuations; allowed are 1 to ${MOST_CONTINUATIONS}`, { count: request.count });
  checkAction(arena, request);
  const fork = new Fork(parts, placeOf(group, request.member, request.turn), request);
  const starts = await fork.starts();
  const specs = starts.flatMap((start, number) => (start.isOver ? [] : [fork.spec(start, number)]));
  const played = (await rollouts(specs, policy, { greedy: false, concurrency: CONCURRENCY, onRound: () => gate() })).values();
  const members = [];
  for (const start of starts) {
    const member = await fork.member(start, start.isOver ? undefined : played.next().value);
    if (member !== null) members.push(member);
  }
  if (members.length === 0) throw new PolicyError(`all ${request.count} continuations failed`, { count: request.count });
  const successes = members.filter(({ success }) => success).length;
  const records: MemberRecord[] = [];
  for (const member of members.slice(0, RECORDS)) records.push(await member.record());
  return { request, count: members.length, successes, interval: wilsonInterval(successes, members.length), records };
}
