import type { Action } from "#core/trajectory.ts";
import { createRng } from "#core/rng.ts";
import { createSokoban } from "#environments/sokoban/index.ts";
import { PRESETS } from "#run/run-config.ts";

const MOVES = 200_000;
const STEPS_OF_EPISODE = 40;

/** Random moves in rooms of the preset, with their observations and events, as a rollout makes them. @returns moves a second, one thread */
export function sokobanTransitions(): number {
  const { environment } = PRESETS.sokoban;
  if (environment.id !== "sokoban") throw new Error("the preset is of another environment");
  const { tasks, tools, reset, outcomes } = createSokoban();
  const rng = createRng(11).fork("bench/sokoban");
  const actions = tools.map(({ name }): Action => ({ kind: "tool", name, args: {} }));
  const starts = tasks(environment, "train", 64, rng).map((task) => reset(task).state);
  const since = performance.now();
  let [state, steps] = [starts[0], 0];
  for (let done = 0; done < MOVES; done += 1) {
    const action = actions[Math.floor(rng.next() * actions.length)];
    if (state === undefined || action === undefined) throw new Error("there is no room, or no move");
    const made = outcomes(state, action);
    if (made instanceof Promise) throw new Error("moves are made at once");
    const [outcome] = made;
    steps += 1;
    const isOver = outcome === undefined || outcome.terminated || steps === STEPS_OF_EPISODE;
    if (isOver) steps = 0;
    state = isOver ? starts[done % starts.length] : outcome.state;
  }
  return (MOVES / (performance.now() - since)) * 1000;
}
