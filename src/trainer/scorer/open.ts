import type { Task } from "#core/environment.ts";
import { PolicyError } from "#core/errors.ts";
import type { Executor } from "#engine/executor.ts";
import type { EnginePolicy, PolicyState } from "#engine/policy-backend.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { NetworkStates } from "#run/run-snapshot.ts";
import type { Arena } from "../arena.ts";
import type { ImplicitScorer, NetworkParts, RewardModel, SecondNetworks } from "../scorer.ts";
import { createCritic } from "./critic.ts";
import { createImplicitScorer } from "./implicit.ts";
import { createRewardModel } from "./reward-model.ts";

type Credit = RunConfig["algorithm"]["credit"];

function criticFor(credit: Credit, valueHead: boolean, parts: NetworkParts): SecondNetworks["critic"] {
  if (valueHead || (credit.id !== "critic" && credit.id !== "bilevel")) return null;
  return createCritic(parts, { learningRate: credit.networkLearningRate, steps: credit.networkSteps });
}

function implicitFor(credit: Credit, parts: NetworkParts): ImplicitScorer | null {
  if (credit.id !== "istar" && credit.id !== "prime") return null;
  const settings = { learningRate: credit.networkLearningRate, steps: credit.networkSteps };
  return createImplicitScorer(parts, settings, credit.id === "istar" ? { kind: "istar", beta: credit.beta, form: credit.form } : { kind: "prime", beta: credit.beta });
}

/** [turns] β · Σ over the turn's tokens of (log π_φ - log π_start). */
function asRewardModel(scorer: ImplicitScorer, beta: number): RewardModel {
  type Rated = Parameters<RewardModel["score"]>[0];
  const rated = (groups: Rated, scores: Awaited<ReturnType<ImplicitScorer["score"]>>) =>
    groups.map(({ members }, group) => members.map(({ trajectory: { turns } }, index) => {
      const { tokenScores = [], tokenReferences = [] } = scores[group]?.[index] ?? {};
      const ratio = (sequence: number, at: number): number => (tokenScores[sequence]?.[at] ?? 0) - (tokenReferences[sequence]?.[at] ?? 0);
      return {
        modelScores: Float32Array.from(turns, ({ sequence, start, end }) => {
          let sum = 0;
          for (let at = start; at < end; at += 1) sum += ratio(sequence, at);
          return beta * sum;
        }),
      };
    }));
  return {
    ...scorer,
    score: async (groups) => rated(groups, await scorer.score(groups)),
    async fit(groups) {
      const fit = await scorer.fit(groups);
      return { ...fit, before: rated(groups, fit.before) };
    },
  };
}

function rewardingFor(reward: RunConfig["reward"], parts: NetworkParts): RewardModel | null {
  if (reward.id !== "learned" && reward.id !== "implicit") return null;
  const settings = { learningRate: reward.networkLearningRate, steps: reward.networkSteps };
  if (reward.id === "learned") return createRewardModel(parts, { ...settings, centreCoefficient: reward.centreCoefficient });
  return asRewardModel(createImplicitScorer(parts, settings, { kind: "prime", beta: reward.beta }), reward.beta);
}

const NAMES = ["critic", "implicit", "rewarding"] as const;

/** Of a run that needs none. */
export const NO_NETWORKS: SecondNetworks = {
  critic: null, implicit: null, rewarding: null, exportState: () => Promise.resolve({}), importState: () => undefined, dispose: () => undefined,
};

/** The second networks of a run. @param policy at its start @param executor of the policy, or of the thread where several share it */
export async function networksOf<T extends Task, S>(config: RunConfig, { harness }: Pick<Arena<T, S>, "harness">, executor: Executor, policy: Pick<EnginePolicy, "layout" | "snapshot">): Promise<SecondNetworks> {
  return openNetworks(config, { executor, harness, model: policy.layout.config, start: await policy.snapshot() });
}

/** The second networks that a run's settings ask for. @param parts its policy's model and starting weights */
export function openNetworks({ algorithm: { credit }, policy: { valueHead }, reward }: RunConfig, parts: NetworkParts): SecondNetworks {
  const networks = { critic: criticFor(credit, valueHead, parts), implicit: implicitFor(credit, parts), rewarding: rewardingFor(reward, parts) };
  if (NAMES.every((name) => networks[name] === null)) return NO_NETWORKS;
  return {
    ...networks,
    async exportState() {
      const states: Partial<Record<keyof NetworkStates, PolicyState>> = {};
      for (const name of NAMES) {
        const state = await networks[name]?.exportState();
        if (state !== undefined) states[name] = state;
      }
      return states;
    },
    importState(states) {
      for (const name of NAMES) {
        const state = states[name];
        if ((networks[name] === null) !== (state === undefined)) throw new PolicyError(`the state to go on from has ${state === undefined ? "no" : "a"} second network "${name}"; this run needs ${state === undefined ? "one" : "none"}`);
        if (state !== undefined) networks[name]?.importState(state);
      }
    },
    dispose() {
      for (const name of NAMES) networks[name]?.dispose();
    },
  };
}
