import type { Rng } from "#core/chance.ts";
import type { Split } from "#core/environment.ts";
import { TaskError } from "#core/errors.ts";
import { hashText } from "#core/json.ts";
import { choose, createRng, drawIndex } from "#core/rng.ts";
import { expectations, isKilled, PLACES, type Subject, type Test } from "./catalogue.ts";
import type { JsSandboxConfig } from "./config.ts";
import { drawInputs } from "./inputs.ts";
import type { Mutation } from "./mutations.ts";
import { buggyTokens, createTask, subjectOf, type Bug, type RepairTask } from "./state.ts";

/** One in so many mutations of a function seen in training is held out. */
const HELD_OUT = 8;
const ATTEMPTS = 200;

const isHeldOut = ({ id }: Subject, { at, token }: Mutation): boolean => hashText(`${id}@${at}=${token}`) % HELD_OUT === 0;

/** The mutations of a function that belong to a split. */
export function mutationsIn(subject: Subject, split: Split): readonly Mutation[] {
  if (subject.unseen !== (split === "shifted")) return [];
  return subject.unseen ? subject.mutations : subject.mutations.filter((mutation) => isHeldOut(subject, mutation) === (split === "heldout"));
}

/** Inputs that nobody has seen and what they should give: new for every task, the same for all who work it. */
export const hiddenTests = (bug: Bug): readonly Test[] => {
  const subject = subjectOf(bug);
  return expectations(subject, drawInputs(createRng(0).fork(`hidden/${bug.subject}/${bug.hidden}`), subject.parameters, bug.hiddenTests));
};

/** A bug whose hidden tests kill it. @throws TaskError when none are found that do. */
export function drawBug(rng: Rng, config: JsSandboxConfig, subject: Subject, mutation: Mutation): Bug {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const bug = { subject: subject.id, mutation, hidden: drawIndex(rng, 2 ** 32).toString(36), hiddenTests: config.hiddenTests };
    if (isKilled(buggyTokens(bug), hiddenTests(bug))) return bug;
  }
  throw new TaskError(`no ${config.hiddenTests} inputs tell a mutation of ${subject.id} from it`, { subject: subject.id, tests: config.hiddenTests });
}

/**
 * Functions are equally likely, and so are the mutations of one. `heldout` has mutations of functions seen in training that are never
 * seen there, `shifted` functions that are never seen there. Fewer tasks asked for are the first of more.
 */
export function tasks(config: JsSandboxConfig, split: Split, count: number, rng: Rng): readonly RepairTask[] {
  const places = PLACES.filter(({ unseen }) => unseen === (split === "shifted"));
  const seen = new Set<string>();
  return Array.from({ length: count }, (_, index) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const stream = rng.fork(`task/${index}/${attempt}`);
      const subject = choose(stream, places).subject();
      const mutations = mutationsIn(subject, split);
      if (mutations.length === 0) continue;
      const task = createTask(drawBug(stream, config, subject, choose(stream, mutations)), split);
      if (seen.has(task.id)) continue;
      seen.add(task.id);
      return task;
    }
    throw new TaskError(`asked for ${count} distinct ${split} tasks, found ${index}`, { asked: count, found: index, split });
  });
}
