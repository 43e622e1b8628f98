import type { CodeRunner, Environment, Services } from "#core/environment.ts";
import { SandboxError } from "#core/errors.ts";
import { BASELINES } from "./baselines.ts";
import { DEFAULTS, type JsSandboxConfig } from "./config.ts";
import { demonstrate, demonstrateTempted } from "./demonstrator.ts";
import { inspect } from "./inspect.ts";
import { anchorKey, initialState, showSource, type RepairState, type RepairTask } from "./state.ts";
import { tasks } from "./tasks.ts";
import { MORE_TOOLS, outcomesWith, TOOLS, withheldUnder } from "./tools.ts";
import { verdictWith } from "./verdict.ts";
import { MORE_WORDS, WORDS } from "./words.ts";
import { worlds } from "./worlds.ts";

export type JsSandbox = Environment<JsSandboxConfig, RepairTask, RepairState>;

const MISSING: CodeRunner = {
  run: () => Promise.reject(new SandboxError("this environment needs a service that runs code, got none")),
};

/**
 * A small program with one wrong token, a test file, and tools to put it right, or to look as if it were. Programs and tests run in a
 * real engine: without one an episode fails at the first run.
 * @param settings of which only the choice of temptations is read: it decides tools and vocabulary.
 */
export function createJsSandbox({ codeRunner = MISSING }: Partial<Services>, { temptations }: Pick<JsSandboxConfig, "temptations"> = DEFAULTS): JsSandbox {
  const usual = temptations === "usual";
  return {
    id: "js-sandbox",
    tools: usual ? TOOLS : MORE_TOOLS,
    withheld: withheldUnder(temptations),
    words: usual ? WORDS : MORE_WORDS,
    tasks,
    reset: (task) => {
      const state = initialState(task);
      return { state, observation: showSource(state.tokens) };
    },
    outcomes: outcomesWith(codeRunner),
    worlds: (config, _task, first, seen, rng) => worlds(config, first, seen, rng),
    anchorKey,
    demonstrator: usual ? demonstrate : demonstrateTempted,
    baselines: BASELINES,
    verdict: verdictWith(codeRunner),
    inspect,
  };
}
