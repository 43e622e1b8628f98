import type { CodeRunner, Environment, Services } from "#core/environment.ts";
import { SandboxError } from "#core/errors.ts";
import { BASELINES } from "./baselines.ts";
import type { JsSandboxConfig } from "./config.ts";
import { demonstrate } from "./demonstrator.ts";
import { anchorKey, initialState, inspect, showSource, type RepairState, type RepairTask } from "./state.ts";
import { tasks } from "./tasks.ts";
import { outcomesWith, TOOLS } from "./tools.ts";
import { verdictWith } from "./verdict.ts";
import { WORDS } from "./words.ts";
import { worlds } from "./worlds.ts";

export type JsSandbox = Environment<JsSandboxConfig, RepairTask, RepairState>;

const MISSING: CodeRunner = {
  run: () => Promise.reject(new SandboxError("this environment needs a service that runs code, got none")),
};

/**
 * A small program with one wrong token, a test file, and tools to put it right, or to look as if it were. Programs and tests run in a
 * real engine: without one an episode fails at the first run.
 */
export function createJsSandbox({ codeRunner = MISSING }: Partial<Services>): JsSandbox {
  return {
    id: "js-sandbox",
    tools: TOOLS,
    words: WORDS,
    tasks,
    reset: (task) => {
      const state = initialState(task);
      return { state, observation: showSource(state.tokens) };
    },
    outcomes: outcomesWith(codeRunner),
    worlds: (config, _task, first, seen, rng) => worlds(config, first, seen, rng),
    anchorKey,
    demonstrator: demonstrate,
    baselines: BASELINES,
    verdict: verdictWith(codeRunner),
    inspect,
  };
}
