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

/** What an environment is beside its functions. */
export interface About<C> {
  /** Of the demonstrations a base policy is made from: imperfect on purpose. */
  readonly demonstrationSkill: number;
  /** Settings of the tasks they are given on, over the run's own: one base policy serves every preset. */
  readonly demonstrationSettings: Partial<C>;
  /** What the group shown before anything runs is made of. */
  readonly story: readonly StoryRole[];
}

/** What whoever opens an environment does with it; the types of its tasks and states stay inside. */
type Opened<C, R> = <T extends Task, S>(environment: Environment<C, T, S>, about: About<C>) => R;

interface Implementation<C> extends About<C> {
  /** `settings` decide at most which tools there are. */
  readonly create: (services: Partial<Services>, settings: C) => Pick<Environment<never, Task, never>, "id" | "tools" | "words">;
  /** Makes it and hands it over. */
  open<R>(services: Partial<Services>, settings: C, within: Opened<C, R>): R;
}

const implemented = <C, T extends Task, S>({ create, ...about }: About<C> & { readonly create: (services: Partial<Services>, settings?: C) => Environment<C, T, S> }): Implementation<C> & { readonly create: typeof create } => ({
  ...about,
  create,
  open: (services, settings, within) => within(create(services, settings), about),
});

/** One to each entry of the registry. */
export const IMPLEMENTATIONS = {
  "refund-desk": implemented({ demonstrationSkill: DEMONSTRATION_SKILL, demonstrationSettings: { maxOrders: 4 }, story: STORY, create: createRefundDesk }),
  sokoban: implemented({ demonstrationSkill: SOKOBAN_SKILL, demonstrationSettings: {}, story: SOKOBAN_STORY, create: createSokoban }),
  "js-sandbox": implemented({ demonstrationSkill: SANDBOX_SKILL, demonstrationSettings: {}, story: SANDBOX_STORY, create: createJsSandbox }),
} as const satisfies Record<keyof typeof ENVIRONMENTS, Pick<Implementation<never>, "story">>;

type Id = keyof typeof ENVIRONMENTS;
type ConfigOf<K extends Id> = (typeof IMPLEMENTATIONS)[K] extends Implementation<infer C> ? C : never;
type Settings<K extends Id> = { [P in K]: { readonly id: P } & ConfigOf<P> }[K];
const OPENERS: { readonly [K in Id]: Pick<Implementation<ConfigOf<K>>, "open"> } = IMPLEMENTATIONS;

/** The environment that settings name, with them. @param services what it may use of the machine; one that misses its own throws */
export function openEnvironment<K extends Id, R>(
  settings: Settings<K>, services: Partial<Services>, within: <C, T extends Task, S>(environment: Environment<C, T, S>, chosen: C, about: About<C>) => R,
): R {
  return OPENERS[settings.id].open<R>(services, settings, (environment, about) => within(environment, settings, about));
}

export type { StoryRole };
