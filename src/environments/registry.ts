import type { GenericSchema } from "valibot";
import type { Environment, Services, Task } from "#core/environment.ts";
import { DEFAULTS, SCHEMA } from "./refund-desk/config.ts";
import { DEMONSTRATION_SKILL } from "./refund-desk/demonstrator.ts";
import { createRefundDesk } from "./refund-desk/index.ts";
import { STORY, type StoryRole } from "./refund-desk/story.ts";

interface AnyEntry {
  readonly id: string;
  readonly title: string;
  /** Of the configuration; `defaults` satisfy it. */
  readonly schema: GenericSchema;
  readonly defaults: object;
  /** Of the demonstrations a base policy is made from: imperfect on purpose. */
  readonly demonstrationSkill: number;
  /** What the group shown before anything runs is made of. */
  readonly story: readonly StoryRole[];
  create(services: Partial<Services>): Pick<Environment<unknown, Task, unknown>, "id" | "tools" | "words">;
}

export const ENVIRONMENTS = {
  "refund-desk": {
    id: "refund-desk",
    title: "Refund desk",
    schema: SCHEMA,
    defaults: DEFAULTS,
    demonstrationSkill: DEMONSTRATION_SKILL,
    story: STORY,
    create: createRefundDesk,
  },
} as const satisfies Record<string, AnyEntry>;

export type { StoryRole };
