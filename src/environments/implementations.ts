import type { Environment, Services, Task } from "#core/environment.ts";
import { DEMONSTRATION_SKILL } from "./refund-desk/demonstrator.ts";
import { createRefundDesk } from "./refund-desk/index.ts";
import { STORY, type StoryRole } from "./refund-desk/story.ts";
import type { ENVIRONMENTS } from "./registry.ts";

interface Implementation {
  /** Of the demonstrations a base policy is made from: imperfect on purpose. */
  readonly demonstrationSkill: number;
  /** Settings of the tasks they are given on, over the run's own: one base policy serves every preset. */
  readonly demonstrationSettings: object;
  /** What the group shown before anything runs is made of. */
  readonly story: readonly StoryRole[];
  create(services: Partial<Services>): Pick<Environment<unknown, Task, unknown>, "id" | "tools" | "words">;
}

/** One to each entry of the registry. */
export const IMPLEMENTATIONS = {
  "refund-desk": {
    demonstrationSkill: DEMONSTRATION_SKILL,
    demonstrationSettings: { maxOrders: 4 },
    story: STORY,
    create: createRefundDesk,
  },
} as const satisfies Record<keyof typeof ENVIRONMENTS, Implementation>;

export type { StoryRole };
