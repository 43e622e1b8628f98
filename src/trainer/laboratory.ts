import type { CreditConfig } from "#algorithms/credit/registry.ts";
import { creditNeeds } from "#algorithms/needs.ts";
import type { Credit } from "#core/credit.ts";
import type { Task } from "#core/environment.ts";
import { ConfigError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import type { Executor } from "#engine/executor.ts";
import { createPolicy, type EnginePolicy } from "#engine/policy-backend.ts";
import type { Assessed, Assessment, AssessRequest, ForkOptions, ForkRequest, ForkResult, SchemeCredit, TurnPlace } from "#run/assessment.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { Arena } from "./arena.ts";
import { creditRow, turnCredits } from "./board-rows.ts";
import { groupOf, RecentBatches, type SampledBatch, type SampledGroup } from "./laboratory/batches.ts";
import { forkAt, optionsAt } from "./laboratory/fork.ts";
import { creditGradients } from "./laboratory/gradient.ts";
import { groupTruth, type MeasuredTruth } from "./laboratory/measure.ts";
import { judgedTurns, MeterBook } from "./laboratory/meters.ts";
import { PracticedNetworks, wantsNetworks } from "./laboratory/networks.ts";
import { groupsOf, PRACTICE_GROUPS, practiceFor, rolloutsOf, type Rollouts } from "./laboratory/practice.ts";
import { basisOf, creditOf, schemeRow, settingsOf } from "./laboratory/schemes.ts";
import { modelOf } from "./open-policy.ts";
import type { Gate } from "./runtime.ts";
import { FULL_TRUTH, type TruthForm } from "./truth.ts";

/**
 * Looks into groups that a run has sampled, beside the run: whatever it is asked, the run's events, weights and moments stay what they
 * would have been. Its gate ends the work by rejecting, and then what it throws comes out.
 */
export interface Laboratory {
  /** In full. @param part told what is known so far, before the whole is. @throws PolicyError when the group is not held any more */
  assess(request: AssessRequest, gate: Gate, part: (assessed: Assessed) => void): Promise<Assessed>;
  /** At the group shown of the newest update, in the form a run can afford; null where that was looked at already. */
  glance(gate: Gate): Promise<Assessed | null>;
  forkOptions(place: TurnPlace, gate: Gate): Promise<ForkOptions>;
  fork(request: ForkRequest, gate: Gate): Promise<ForkResult>;
  dispose(): void;
}

export interface GroupLaboratory<T, S> extends Laboratory {
  /** What was sampled for an update, as soon as it was; only the newest few are held. */
  keep(batch: SampledBatch<T, S>): void;
}

export interface LaboratoryParts<T extends Task, S> {
  readonly config: RunConfig;
  readonly arena: Arena<T, S>;
  /** The run's: the laboratory has networks of its own on it, from the first question on. */
  readonly executor: Executor;
  /** PATIENT where absent. */
  readonly effort?: Effort;
}

/** How much work is put into an answer. */
export interface Effort {
  readonly full: TruthForm;
  readonly glance: TruthForm;
  /** Most groups that networks are fitted to. */
  readonly practice: number;
}

/** A glance takes some 0.3 s for the base policy's group of eight on the WASM engine; half of its turns have an interval that excludes zero. */
const PATIENT: Effort = { full: FULL_TRUTH, glance: { worlds: 16, maxNodes: 300, maxMass: 0.02, branchMass: 0.3, branchNodes: 300 }, practice: PRACTICE_GROUPS };

const NO_PART = (): void => {};

class OpenLaboratory<T extends Task, S> implements GroupLaboratory<T, S> {
  readonly #parts: LaboratoryParts<T, S>;
  readonly #batches = new RecentBatches<T, S>();
  readonly #book = new MeterBook();
  readonly #networks: PracticedNetworks;
  readonly #effort: Effort;
  #policy: EnginePolicy | null = null;
  #holds: Float32Array | null = null;
  #glanced: string | null = null;

  constructor(parts: LaboratoryParts<T, S>) {
    this.#parts = parts;
    this.#effort = parts.effort ?? PATIENT;
    const { arena: { harness }, config, executor } = parts;
    this.#networks = new PracticedNetworks({ executor, harness, model: modelOf(config, harness.vocabulary.words.length) });
  }

  keep(batch: SampledBatch<T, S>): void {
    this.#batches.keep(batch);
  }

  async assess({ groupId, given, schemes }: AssessRequest, gate: Gate, part: (assessed: Assessed) => void = NO_PART): Promise<Assessed> {
    const sampled = this.#batches.find(groupId);
    const measured = await this.#truth(sampled, { given, form: "full", settings: this.#effort.full, gate });
    if (given === "history") await this.#enter(sampled, measured);
    const { config } = this.#parts;
    const { credit: trained } = config.algorithm;
    const wanted = [...new Set([trained.id, ...schemes])].map((id) => settingsOf(id, config)).toSorted((a, b) => Number(this.#isSlow(a, sampled)) - Number(this.#isSlow(b, sampled)));
    let assessment: Assessment = { update: sampled.batch.update, groupId, truth: measured.truth, schemes: [] };
    for (const credit of wanted) {
      // What is known already need not wait for networks to be fitted.
      if (this.#isSlow(credit, sampled)) part({ assessment, meters: this.#book.read() });
      const row = credit.id === trained.id ? this.#trainedRow(sampled) : await this.#row(credit, sampled, measured, gate);
      if (row !== null) assessment = { ...assessment, schemes: [...assessment.schemes, row] };
    }
    return { assessment, meters: this.#book.read() };
  }

  async glance(gate: Gate): Promise<Assessed | null> {
    const batch = this.#batches.newest;
    const sampled = batch && groupOf(batch, batch.shown);
    if (!sampled || sampled.group.groupId === this.#glanced) return null;
    const { groupId } = sampled.group;
    this.#glanced = groupId;
    const measured = await this.#truth(sampled, { given: "history", form: "quick", settings: this.#effort.glance, gate });
    await this.#enter(sampled, measured);
    return { assessment: { update: sampled.batch.update, groupId, truth: measured.truth, schemes: [this.#trainedRow(sampled)] }, meters: this.#book.read() };
  }

  async forkOptions({ groupId, member, turn }: TurnPlace, gate: Gate): Promise<ForkOptions> {
    const sampled = this.#batches.find(groupId);
    return optionsAt(this.#forkParts(sampled, `options/${member}/${turn}`, gate), sampled, member, turn);
  }

  async fork(request: ForkRequest, gate: Gate): Promise<ForkResult> {
    const sampled = this.#batches.find(request.groupId);
    return forkAt(this.#forkParts(sampled, `fork/${request.member}/${request.turn}/${request.given}`, gate), sampled, request);
  }

  dispose(): void {
    this.#policy?.dispose();
    this.#networks.dispose();
  }

  #streamOf({ group: { groupId } }: SampledGroup<T, S>) {
    return createRng(this.#parts.config.seed).fork(`laboratory/${groupId}`);
  }

  #forkParts(sampled: SampledGroup<T, S>, label: string, gate: Gate) {
    return { arena: this.#parts.arena, policy: this.#policyOf(sampled), rng: this.#streamOf(sampled).fork(label), gate };
  }

  /** With the weights that sampled the group. */
  #policyOf({ batch: { weights } }: SampledGroup<T, S>): EnginePolicy {
    const { config, arena: { harness }, executor } = this.#parts;
    const model = modelOf(config, harness.vocabulary.words.length);
    if (this.#policy === null) this.#policy = createPolicy(executor, { model, automaton: harness.automaton, maxGradNorm: config.algorithm.maxGradNorm, weightDecay: 0 }, weights);
    else if (this.#holds !== weights) this.#policy.load(weights);
    this.#holds = weights;
    return this.#policy;
  }

  #truth(sampled: SampledGroup<T, S>, how: Omit<Parameters<typeof groupTruth>[3], "rng">): Promise<MeasuredTruth> {
    return groupTruth(this.#parts.arena, this.#policyOf(sampled), sampled, { ...how, rng: this.#streamOf(sampled).fork(`truth/${how.given}/${how.form}`) });
  }

  /** Into the meters, with the gradients of the scheme trained with and of skill. */
  async #enter(sampled: SampledGroup<T, S>, { truth, turns }: MeasuredTruth): Promise<void> {
    const { group, credits, judged } = sampled;
    const skill = turns.map((known, index): Credit => ({ perTurn: known?.skill ?? new Float32Array(judged[index]?.trajectory.turns.length ?? 0) }));
    const [gradient = null, skillGradient = null] = await creditGradients(this.#policyOf(sampled), group, [credits, skill]);
    const paid = group.members.map((member, index) => turnCredits(member, credits[index] ?? { perTurn: new Float32Array() }));
    const isQuestion = (member: number, turn: number): boolean => {
      const action = judged[member]?.trajectory.turns[turn]?.action;
      return action !== undefined && this.#parts.arena.isQuestion(action);
    };
    this.#book.enter(group.groupId, { turns: judgedTurns(truth, paid, isQuestion), gradient, skillGradient });
  }

  /** Whether networks are fitted first. */
  #isSlow(credit: CreditConfig, { batch }: SampledGroup<T, S>): boolean {
    return credit.id !== this.#parts.config.algorithm.credit.id && wantsNetworks(credit, batch.groups);
  }

  #trainedRow({ batch, group, credits }: SampledGroup<T, S>): SchemeCredit {
    const { algorithm: { credit }, reward } = this.#parts.config;
    const share = 1 / batch.groups.length;
    const cost = { steps: Math.round(batch.cost.steps * share), tokens: Math.round(batch.cost.tokens * share) };
    return { ...creditRow(credit, reward.id, group, credits), cost, fitted: creditNeeds(credit).length === 0 || cost.steps > 0 ? null : "all trajectories of the run so far", basis: basisOf(credit, group) };
  }

  /** Null where the run's settings leave a need of the scheme unmet. */
  async #row(credit: CreditConfig, sampled: SampledGroup<T, S>, { turns, cost }: MeasuredTruth, gate: Gate): Promise<SchemeCredit | null> {
    const { arena, config } = this.#parts;
    const policy = this.#policyOf(sampled);
    const rng = this.#streamOf(sampled).fork(`scheme/${credit.id}`);
    const parts = { arena, policy, config, truthCost: cost, rng, gate };
    try {
      if (!this.#isSlow(credit, sampled)) {
        const credited = await creditOf(credit, rolloutsOf([sampled]), { ...parts, truth: [turns], readers: null });
        return schemeRow(credit, credited, 0);
      }
      const { practice, rollouts } = await practiceFor({
        arena, policy, config, sampled, others: this.#batches.others(sampled.batch.update), most: this.#effort.practice, rng: this.#streamOf(sampled).fork("practice"), gate,
      });
      const readers = await this.#networks.readers(credit, practice, gate);
      const scope = scopeOf(sampled, rollouts);
      const credited = await creditOf(credit, scope, { ...parts, truth: [], readers });
      return schemeRow(credit, credited, scope.groups.indexOf(sampled.group));
    } catch (error) {
      if (error instanceof ConfigError) return null;
      throw error;
    }
  }
}

/** Fewer groups are no batch. */
const LEAST_BATCH = 8;

/** What schemes that look at the whole batch are computed on: the group's batch, or, where it was sampled alone, others beside it. */
function scopeOf<T, S>(sampled: SampledGroup<T, S>, { tasks, groups, rollouts }: Rollouts<T, S>): Rollouts<T, S> {
  const own = rolloutsOf(groupsOf(sampled.batch));
  if (own.groups.length >= LEAST_BATCH) return own;
  return { tasks: [...own.tasks, ...tasks], groups: [...own.groups, ...groups], rollouts: [...own.rollouts, ...rollouts] };
}

export const createLaboratory = <T extends Task, S>(parts: LaboratoryParts<T, S>): GroupLaboratory<T, S> => new OpenLaboratory(parts);
