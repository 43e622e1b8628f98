import { packRows } from "#algorithms/batch.ts";
import { PolicyError } from "#core/errors.ts";
import type { TokenStats } from "#core/objective.ts";
import { mean } from "#core/statistics.ts";
import type { TokenSequence } from "#core/tokens.ts";
import { layoutOf } from "#engine/model.ts";
import { createPolicy, type EnginePolicy } from "#engine/policy-backend.ts";
import type { Labelled, NetworkParts, Played, PlayedGroup, SecondNetwork } from "../scorer.ts";

export interface NetworkSettings {
  readonly learningRate: number;
  /** Optimiser steps that the groups of an update are split into, each group in one of them. */
  readonly steps: number;
}

/** What the network says of one rollout: per sequence as read [L], 0 where nothing was asked for. */
export interface MemberStats {
  readonly logprobs: readonly Float32Array[];
  /** Under the policy it started as; empty where nothing is compared with that. */
  readonly references: readonly Float32Array[];
  /** Empty without a value head. */
  readonly values: readonly Float32Array[];
}

/** A rollout to learn from, and where the gradient of the loss goes: shaped like its statistics, 0 so far. */
export interface Example<L> {
  readonly played: Played;
  readonly label: L;
  readonly stats: MemberStats;
  readonly dLogprobs: readonly Float32Array[];
  readonly dValues: readonly Float32Array[];
}

/** What makes a second network the one it is. */
export interface Head<S, L> {
  readonly name: string;
  readonly valueHead: boolean;
  /** Whether log-probabilities under the policy it started as are wanted too. */
  readonly compares: boolean;
  readonly maxGradNorm: number;
  /** The sequences to run; the network is read in front of every token marked as sampled. */
  read(played: Played): readonly TokenSequence[];
  scores(played: Played, stats: MemberStats): S;
  /** How much there is to learn from one group (pairs, tokens, rollouts): a step's loss is the mean over these. @param labels of those to learn from */
  count(labelled: readonly { readonly played: Played; readonly label: L }[]): number;
  /** The group's share of the loss, as a sum; the gradient of that is written into the examples. */
  loss(group: readonly Example<L>[]): number;
}

/** A forward pass takes whole groups until it has so many rollouts: scratch memory stays small, and what is computed stays the same. */
const PASS = 64;

/** Runs of neighbours, in so many parts that differ by one item at most. */
const split = <T>(items: readonly T[], parts: number): T[][] =>
  Array.from({ length: parts }, (_, part) => items.slice(Math.floor((part * items.length) / parts), Math.floor(((part + 1) * items.length) / parts)));

function passesOf<G extends PlayedGroup>(groups: readonly G[]): G[][] {
  const passes: G[][] = [];
  let room = 0;
  for (const group of groups) {
    if (room <= 0) {
      passes.push([]);
      room = PASS;
    }
    passes.at(-1)?.push(group);
    room -= group.members.length;
  }
  return passes;
}

interface Step<S> {
  readonly before: (readonly S[])[];
  readonly loss: number;
  /** Comes when it is read: nothing waits for it meanwhile. */
  readonly gradNorm: Promise<number>;
}

/** @throws PolicyError when `start` is no policy of the model's size. */
function open({ executor, harness: { automaton }, model, start }: NetworkParts, { name, valueHead, compares, maxGradNorm }: Pick<Head<never, never>, "name" | "valueHead" | "compares" | "maxGradNorm">): EnginePolicy {
  const [body, own] = [layoutOf({ ...model, valueHead: false }).parameters, layoutOf({ ...model, valueHead }).parameters];
  if (start.length < body) throw new PolicyError(`the ${name} got ${start.length} weights to start with, the policy has ${body}`);
  // A value head comes last in the tensor list. What it had learnt of other targets is left behind: it starts at zero.
  const weights = new Float32Array(own);
  weights.set(start.subarray(0, body));
  const network = createPolicy(executor, { model: { ...model, valueHead }, automaton, maxGradNorm, weightDecay: 0 }, weights);
  if (compares) network.setReference(weights);
  return network;
}

const isLabelled = <L>(member: Played | Labelled<L>): member is Labelled<L> => "label" in member;

/** A network with the given head, which starts with the body of the policy. @throws PolicyError for weights that do not fit. */
export function secondNetwork<S, L>(parts: NetworkParts, { learningRate, steps }: NetworkSettings, head: Head<S, L>): SecondNetwork<S, L> {
  const network = open(parts, head);

  const known = <M extends Played | Labelled<L>>(members: readonly M[]): { readonly played: M; readonly label: L; readonly index: number }[] =>
    members.flatMap((played, index) => {
      const label = isLabelled<L>(played) && played.trajectory.ending !== "failed" ? played.label : null;
      return label === null ? [] : [{ played, label, index }];
    });

  /** @param total what the loss is divided by before it is learnt from; null: nothing is learnt. @returns the loss as a sum */
  async function pass(groups: readonly PlayedGroup[], total: number | null): Promise<{ readonly scores: (readonly S[])[]; readonly loss: number }> {
    const read = groups.flatMap(({ members }) => members.map((played) => head.read(played)));
    const batch = packRows(read.flatMap((sequences, trajectory) => sequences.map((sequence) => ({ sequence, trajectory }))));
    const rowsBefore = read.map((_, member) => read.slice(0, member).reduce((rows, sequences) => rows + sequences.length, 0));
    const views = (values: Float32Array | undefined, member: number): readonly Float32Array[] =>
      values === undefined ? [] : (read[member] ?? []).map(({ tokens }, index) => {
        const start = ((rowsBefore[member] ?? 0) + index) * batch.length;
        return values.subarray(start, start + tokens.length);
      });
    const viewsOf = ({ logprobs, referenceLogprobs, values }: TokenStats, member: number): MemberStats => ({
      logprobs: views(logprobs, member), references: views(referenceLogprobs, member), values: views(values, member),
    });
    const dLogprobs = new Float32Array(batch.tokens.length);
    const dValues = head.valueHead ? new Float32Array(batch.tokens.length) : undefined;
    const forward = await network.forward(batch);
    try {
      const scores: (readonly S[])[] = [];
      let [first, loss] = [0, 0];
      for (const { members } of groups) {
        const stats = members.map((_, index) => viewsOf(forward.stats, first + index));
        scores.push(members.map((played, index) => head.scores(played, stats[index] as MemberStats)));
        if (total !== null)
          loss += head.loss(known(members).map(({ played, label, index }) => ({
            played, label, stats: stats[index] as MemberStats, dLogprobs: views(dLogprobs, first + index), dValues: views(dValues, first + index),
          })));
        first += members.length;
      }
      if (total !== null)
        await forward.backward({ loss: loss / total, dLogprobs: dLogprobs.map((slope) => slope / total), ...(dValues && { dValues: dValues.map((slope) => slope / total) }), metrics: {} });
      return { scores, loss };
    } finally {
      forward.dispose();
    }
  }

  async function score(groups: readonly PlayedGroup[]): Promise<(readonly S[])[]> {
    const scores: (readonly S[])[] = [];
    for (const some of passesOf(groups)) scores.push(...(await pass(some, null)).scores);
    return scores;
  }

  /** One optimiser step on the mean over all of the groups; null where there is nothing to learn. */
  async function step(groups: readonly PlayedGroup<Labelled<L>>[]): Promise<Step<S> | null> {
    const total = groups.reduce((sum, { members }) => sum + head.count(known(members)), 0);
    if (total === 0) return null;
    const before: (readonly S[])[] = [];
    let sum = 0;
    for (const some of passesOf(groups)) {
      const { scores, loss } = await pass(some, total);
      before.push(...scores);
      sum += loss;
    }
    if (!Number.isFinite(sum)) throw new PolicyError(`the loss of the ${head.name} is ${sum}: try a smaller learning rate for it`);
    const gradNorm = network.applyUpdate(learningRate).then(({ gradNorm: norm }) => {
      if (!Number.isFinite(norm)) throw new PolicyError(`the gradient norm of the ${head.name} is ${norm}: try a smaller learning rate for it`);
      return norm;
    });
    gradNorm.catch(() => undefined);
    return { before, loss: sum / total, gradNorm };
  }

  return {
    score,
    async fit(groups) {
      const batches = split(groups, Math.min(steps, groups.length));
      const early = batches.length === 1 ? null : await score(groups);
      const taken: Step<S>[] = [];
      for (const batch of batches) {
        const done = await step(batch);
        if (done !== null) taken.push(done);
      }
      const norms = await Promise.all(taken.map(({ gradNorm }) => gradNorm));
      return {
        loss: taken.length === 0 ? null : mean(taken.map(({ loss }) => loss)),
        gradNorm: norms.length === 0 ? null : mean(norms),
        steps: taken.length,
        before: early ?? taken[0]?.before ?? (await score(groups)),
      };
    },
    exportState: () => network.exportState(),
    importState: (state) => network.importState(state),
    dispose: () => network.dispose(),
  };
}
