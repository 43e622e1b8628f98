import type { CreditConfig } from "./credit/registry.ts";
import { CREDIT_ASSIGNERS } from "./credit/registry.ts";
import type { ClipRange } from "./objectives/clipped-loss.ts";
import type { ObjectiveConfig } from "./objectives/registry.ts";
import { OBJECTIVES } from "./objectives/registry.ts";
import type { RewardConfig } from "./rewards/registry.ts";
import { REWARD_SOURCES } from "./rewards/registry.ts";

/** What some recipes set besides; the others take the preset's. */
export interface BatchSettings {
  readonly groupSize: number;
  readonly groupsPerUpdate: number;
  /** Dynamic sampling. */
  readonly resampleRounds: number;
  readonly learningRate: number;
}

/** The settings that make an algorithm; everything else of a run stays as it is. */
export interface Recipe {
  readonly title: string;
  /** What it takes from its source and what it does not. */
  readonly note: string;
  readonly settings: ClipRange & { readonly credit: CreditConfig; readonly objective: ObjectiveConfig } & Partial<BatchSettings>;
  /** Where the recipe is about the reward; the preset's elsewhere. */
  readonly reward?: RewardConfig;
  /** Needs `policy.valueHead`. */
  readonly valueHead?: true;
}

const flat = { id: "flat", ...CREDIT_ASSIGNERS.flat.defaults } as const;
const clipped = { id: "clipped", ...OBJECTIVES.clipped.defaults } as const;
const EVEN = { clipLow: 0.2, clipHigh: 0.2 } as const;

/** Known algorithms as a credit scheme and an objective. Sources: algorithms.md, sections 1 to 7, 9 and 16. */
export const RECIPES = {
  grpo: {
    title: "GRPO",
    note: "arXiv 2402.03300 with what was seen to learn here: population deviation, ε 1e-4, mean over all tokens, no KL.",
    settings: { credit: flat, objective: clipped, ...EVEN },
  },
  "dr-grpo": {
    title: "Dr. GRPO",
    note: "arXiv 2503.20783: no division by the deviation; token losses are summed and divided by a constant, not by the length.",
    settings: { credit: { ...flat, std: "none", eps: 0 }, objective: { ...clipped, aggregation: "constant" }, ...EVEN },
  },
  dapo: {
    title: "DAPO",
    note: "arXiv 2503.14476 as verl runs it: sample deviation, clip-higher, mean over all tokens, dual clip 3, groups without signal sampled anew, here 4 times at most. Its overlong penalty is a setting of the shaped reward, off here.",
    settings: { credit: { ...flat, std: "sample", eps: 1e-6 }, objective: { ...clipped, dualClip: 3 }, clipLow: 0.2, clipHigh: 0.28, resampleRounds: 4 },
  },
  gspo: {
    title: "GSPO",
    note: "arXiv 2507.18071: flat credit, the ratio of the whole trajectory, its narrow clip range.",
    settings: { credit: flat, objective: { id: "gspo", ...OBJECTIVES.gspo.defaults }, clipLow: 3e-4, clipHigh: 4e-4 },
  },
  cispo: {
    title: "CISPO",
    note: "arXiv 2506.13585 with SkyRL's range, 0 to 5: weights are bounded from above alone, no token is dropped.",
    settings: { credit: flat, objective: { id: "cispo", ...OBJECTIVES.cispo.defaults }, clipLow: 1, clipHigh: 4 },
  },
  rloo: {
    title: "RLOO",
    note: "arXiv 2402.14740's baseline under the clipped loss; mean over all tokens as in verl, without its dual clip; no KL in the reward.",
    settings: { credit: { id: "leave-one-out" }, objective: clipped, ...EVEN },
  },
  "reinforce-plus-plus": {
    title: "REINFORCE++",
    note: "arXiv 2501.03262: whitened returns, no group; no KL in the reward.",
    settings: { credit: { id: "reinforce-plus-plus", ...CREDIT_ASSIGNERS["reinforce-plus-plus"].defaults }, objective: clipped, ...EVEN },
  },
  "reinforce-plus-plus-baseline": {
    title: "REINFORCE++ with group baseline",
    note: "arXiv 2501.03262: group mean, then whitened over the batch; no KL in the reward.",
    settings: { credit: { id: "reinforce-plus-plus-baseline", ...CREDIT_ASSIGNERS["reinforce-plus-plus-baseline"].defaults }, objective: clipped, ...EVEN },
  },
  ppo: {
    title: "PPO",
    note: "arXiv 1707.06347 with one step per turn: a value head on the policy, γ 0.99, λ 0.95, value loss 0.5 without clipping, one epoch.",
    settings: { credit: { id: "critic", ...CREDIT_ASSIGNERS.critic.defaults }, objective: { ...clipped, valueCoefficient: 0.5 }, ...EVEN },
    valueHead: true,
  },
  gigpo: {
    title: "GiGPO",
    note: "arXiv 2505.10978 with γ 1 and ω 1, each return counted once. Published runs take γ 0.95, which on the refund desk pays for skipping look-ups.",
    settings: { credit: { id: "gigpo", ...CREDIT_ASSIGNERS.gigpo.defaults, gamma: 1 }, objective: clipped, ...EVEN },
  },
  "gigpo-discounted": {
    title: "GiGPO, discounted",
    note: "The same with γ 0.95, as published: a step's return is worth more the sooner the episode ends.",
    settings: { credit: { id: "gigpo", ...CREDIT_ASSIGNERS.gigpo.defaults }, objective: clipped, ...EVEN },
  },
  hgpo: {
    title: "HGPO",
    note: "core_hgpo.py of verl-agent: γ 0.95, up to two earlier states, no term for the trajectory.",
    settings: { credit: { id: "hgpo", ...CREDIT_ASSIGNERS.hgpo.defaults }, objective: clipped, ...EVEN },
  },
  istar: {
    title: "iStar",
    note: "arXiv 2509.19199 in the form its paper means: sums over turns, all pairs, all steps as the baseline. Its implicit reward model starts as the policy.",
    settings: { credit: { id: "istar", ...CREDIT_ASSIGNERS.istar.defaults }, objective: clipped, ...EVEN },
  },
  vineppo: {
    title: "VinePPO",
    note: "arXiv 2410.01679 with 4 continuations a turn, from the restored state: values given the hidden state. No KL.",
    settings: { credit: { id: "branching", ...CREDIT_ASSIGNERS.branching.defaults }, objective: clipped, ...EVEN },
  },
  dpo: {
    title: "DPO",
    note: "arXiv 2305.18290 on the run's own trajectories: all pairs of a group whose returns differ, β 0.1. Credit only says which groups tell anything.",
    settings: { credit: flat, objective: { id: "dpo", ...OBJECTIVES.dpo.defaults }, ...EVEN },
  },
  raft: {
    title: "RAFT",
    note: "arXiv 2304.06767: imitates what was paid, every update anew. Entropy falls fast. Credit only says which groups have a success.",
    settings: { credit: { id: "reinforce", ...CREDIT_ASSIGNERS.reinforce.defaults, baseline: "none" }, objective: { id: "raft", ...OBJECTIVES.raft.defaults }, ...EVEN },
  },
  "sft-only": {
    title: "SFT only",
    note: "Goes on imitating the demonstrations that the base policy was made from. What is sampled is shown and judged, and nothing is learnt from it.",
    settings: { credit: flat, objective: { id: "sft", ...OBJECTIVES.sft.defaults }, ...EVEN },
  },
  truth: {
    title: "Truth",
    note: "Credit is the skill of every turn given what the policy saw, from 4 worlds a turn, in groups of 4: what other schemes estimate. Costs many times the trajectories.",
    settings: { credit: { id: "truth" }, objective: clipped, ...EVEN, groupSize: 4 },
  },
  "random-reward": {
    title: "Random reward (control)",
    note: "GRPO under a coin flip, arXiv 2506.10947: what improves was not learnt from the reward.",
    settings: { credit: flat, objective: clipped, ...EVEN },
    reward: { id: "coin-flip", ...REWARD_SOURCES["coin-flip"].defaults },
  },
} as const satisfies Record<string, Recipe>;

export type RecipeId = keyof typeof RECIPES;
