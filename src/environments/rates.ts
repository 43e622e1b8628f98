import type { Environment, Task } from "#core/environment.ts";
import { createRng } from "#core/rng.ts";
import { alone, play } from "./play.ts";

export interface Rate {
  /** Share of tasks. */
  readonly success: number;
  /** Mean per episode. */
  readonly turns: number;
}

/** How often each baseline of an environment succeeds, one episode a task; chance follows from the seed and the task's index. */
export async function baselineRates<C, T extends Task, S>(
  environment: Environment<C, T, S>, tasks: readonly T[], horizon: number, seed: number,
): Promise<Readonly<Record<string, Rate>>> {
  const rates: Record<string, Rate> = {};
  for (const [name, agent] of Object.entries(environment.baselines)) {
    let [successes, turns] = [0, 0];
    for (const [index, task] of tasks.entries()) {
      const rng = createRng(seed).fork(`${name}/${index}`);
      const played = play(environment, task, alone(agent, rng.fork("agent")), horizon, rng);
      const { verdict, seen } = played instanceof Promise ? await played : played;
      if (verdict.success) successes += 1;
      turns += seen.length;
    }
    rates[name] = { success: successes / tasks.length, turns: turns / tasks.length };
  }
  return rates;
}
