import type { Environment, Task } from "#core/environment.ts";
import type { PolicyBackend } from "#core/policy.ts";
import type { Arena } from "../arena.ts";

/** What something took beyond the trajectories themselves. */
export interface Cost {
  /** Calls of the environment. */
  readonly steps: number;
  /** Tokens sampled, distributions asked for, or tokens read again by a network. */
  readonly tokens: number;
}

export const NO_COST: Cost = { steps: 0, tokens: 0 };
export const addCosts = (a: Cost, b: Cost): Cost => ({ steps: a.steps + b.steps, tokens: a.tokens + b.tokens });

type Sampler = Pick<PolicyBackend, "sample" | "nextLogprobs">;

export interface Metered<A> {
  readonly arena: A;
  readonly policy: Sampler;
  spent(): Cost;
}

/** The same arena and policy, counting what is asked of them. Specs that `arena.spec` makes are not counted: they hold the environment itself. */
export function metered<T extends Task, S, A extends Pick<Arena<T, S>, "environment">>(arena: A & Pick<Arena<T, S>, "environment">, policy: Sampler): Metered<A> {
  let [steps, tokens] = [0, 0];
  const own = arena.environment;
  const environment: Environment<unknown, T, S> = {
    id: own.id, tools: own.tools, words: own.words, baselines: own.baselines,
    tasks: (...given) => own.tasks(...given),
    reset: (task) => own.reset(task),
    outcomes: (state, action) => {
      steps += 1;
      return own.outcomes(state, action);
    },
    worlds: (...given) => own.worlds(...given),
    anchorKey: (...given) => own.anchorKey(...given),
    demonstrator: (...given) => own.demonstrator(...given),
    verdict: (...given) => own.verdict(...given),
    inspect: (state) => own.inspect(state),
  };
  return {
    arena: { ...arena, environment },
    policy: {
      async sample(requests, options) {
        const completions = await policy.sample(requests, options);
        for (const completion of completions) tokens += completion.tokens.length;
        return completions;
      },
      nextLogprobs(requests) {
        tokens += requests.length;
        return policy.nextLogprobs(requests);
      },
    },
    spent: () => ({ steps, tokens }),
  };
}
