import type { Environment, Services, Task } from "#core/environment.ts";
import { DEMONSTRATION_SKILL as SANDBOX_SKILL } from "./js-sandbox/demonstrator.ts";
import { createJsSandbox } from "./js-sandbox/index.ts";
import { STORY as SANDBOX_STORY } from "./js-sandbox/story.ts";
import { DEMONSTRATION_SKILL } from "./refund-desk/demonstrator.ts";
import { createRefundDesk } from "./refund-desk/index.ts";
import { STORY, type StoryRole } from "./refund-desk/story.ts";
import type { ENVIRONMENTS } from "./registry.ts";
import { DEMONSTRATION_SKILL as SOKOBAN_SKILL } from "./sokoban/demonstrator.ts";
import { createSokoban } from "./sokoban/index.ts";
import { STORY as SOKOBAN_STORY } from "./sokoban/story.ts";

interface Implementation {
  /** Of the demonstrations a base policy is made from: imperfect on purpose. */
  readonly demonstrationSkill: number;
  /** Settings of the tasks they are given on, over the run's own: one base policy serves every preset. */
  readonly demonstrationSettings: object;
  /** Tools that ask somebody something: a good question may be worth more than what came of it. */
  readonly questions: readonly string[];
  /** What the group shown before anything runs is made of. */
  readonly story: readonly StoryRole[];
  /** `settings` decide at most which tools there are. */
  create(services: Partial<Services>, settings: never): Pick<Environment<unknown, Task, unknown>, "id" | "tools" | "words">;
}

/** One to each entry of the registry. */
export const IMPLEMENTATIONS = {
  "refund-desk": {
    demonstrationSkill: DEMONSTRATION_SKILL,
    demonstrationSettings: { maxOrders: 4 },
    questions: ["ask_customer"],
    story: STORY,
    create: createRefundDesk,
  },
  sokoban: { demonstrationSkill: SOKOBAN_SKILL, demonstrationSettings: {}, questions: [], story: SOKOBAN_STORY, create: createSokoban },
  "js-sandbox": { demonstrationSkill: SANDBOX_SKILL, demonstrationSettings: {}, questions: [], story: SANDBOX_STORY, create: createJsSandbox },
} as const satisfies Record<keyof typeof ENVIRONMENTS, Implementation>;

export type { StoryRole };
