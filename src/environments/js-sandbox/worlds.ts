import type { Rng } from "#core/chance.ts";
import type { World } from "#core/environment.ts";
import { TaskError } from "#core/errors.ts";
import { canonical } from "#core/json.ts";
import type { Json, Observation, SeenStep } from "#core/trajectory.ts";
import { subjects, type Subject } from "./catalogue.ts";
import type { JsSandboxConfig } from "./config.ts";
import { apply, type Mutation } from "./mutations.ts";
import { createTask, initialState, type RepairState, type RepairTask } from "./state.ts";
import { drawBug } from "./tasks.ts";
import { predict } from "./tools.ts";

interface Suspect {
  readonly subject: Subject;
  readonly mutation: Mutation;
}

/** All bugs by the program they print. */
let printing: ReadonlyMap<string, readonly Suspect[]> | undefined;

function byProgram(): ReadonlyMap<string, readonly Suspect[]> {
  const found = new Map<string, Suspect[]>();
  for (const subject of subjects()) for (const mutation of subject.mutations) {
    const text = apply(subject.tokens, mutation).join(" ");
    found.set(text, [...(found.get(text) ?? []), { subject, mutation }]);
  }
  return found;
}

export function suspects({ content }: Observation): readonly Suspect[] {
  printing ??= byProgram();
  return typeof content === "string" ? (printing.get(content) ?? []) : [];
}

const shown = ({ kind, content }: Observation): string => canonical({ kind, content } as Json);

/** The state after what was done, had this been the task; undefined when it would have shown something else. */
export function replay(task: RepairTask, seen: readonly SeenStep[]): RepairState | undefined {
  let state = initialState(task);
  for (const { action, observation } of seen) {
    // What could not be read is answered by the harness, and nothing comes of it.
    if (action.kind === "malformed") continue;
    const next = predict(state, action);
    if (shown(next.observation) !== shown(observation)) return undefined;
    state = next.state;
  }
  return state;
}

/**
 * Every function and mutation that print the program seen and agree with the test results seen; hidden inputs are drawn anew for
 * each, from `rng`. Few bugs print one program, so all are listed whatever the limit, and only the inputs are drawn: they decide
 * nothing but whether a wrong repair is found out. That a mutation decides its task's split is left out.
 * @throws TaskError when no bug shows what was seen.
 */
export function worlds(
  config: JsSandboxConfig, first: Observation, seen: readonly SeenStep[], rng: Rng,
): { readonly worlds: readonly World<RepairTask, RepairState>[]; readonly exhaustive: boolean } {
  const found = suspects(first).flatMap(({ subject, mutation }) => {
    const bug = drawBug(rng.fork(`hidden/${subject.id}/${mutation.at}/${mutation.token}`), config, subject, mutation);
    const task = createTask(bug, subject.unseen ? "shifted" : "train");
    const state = replay(task, seen);
    return state === undefined ? [] : [{ probability: 1 / subject.mutations.length, task, state }];
  });
  if (found.length === 0) throw new TaskError("no bug of this catalogue shows what was seen", { steps: seen.length });
  const total = found.reduce((sum, { probability }) => sum + probability, 0);
  return { worlds: found.map((world) => ({ ...world, probability: world.probability / total })), exhaustive: true };
}
