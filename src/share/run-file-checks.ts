import { FileError } from "#core/errors.ts";
import type { EvaluationReport, GroupRecord, RunEvent } from "#run/run-event.ts";
import type { RunConfig } from "#run/run-config.ts";

/** How the parts of a run belong together, beyond what each may be by itself. Fed with its events in order. */
export class RunChecks {
  #config: RunConfig | null = null;
  #update = 0;
  #isOver = false;

  get config(): RunConfig {
    if (this.#config === null) throw new FileError("the run has no beginning: its first event is not run-started");
    return this.#config;
  }

  /** Of the last `update` event. */
  get update(): number {
    return this.#update;
  }

  /** @throws FileError that says what does not fit */
  take(event: RunEvent): void {
    if (this.#isOver) throw new FileError(`a ${event.type} event comes after the end of the run`);
    if (event.type === "run-started") {
      if (this.#config !== null) throw new FileError("the run begins twice");
      this.#config = event.config;
      return;
    }
    const { updates } = this.config;
    switch (event.type) {
      case "settings-changed": {
        if (event.update !== this.#update) throw new FileError(`settings change after update ${event.update}, and the run stands at ${this.#update}`);
        const wrong = differingPart(this.config, event.config);
        if (wrong !== undefined) throw new FileError(`after update ${event.update} the run goes on with another ${wrong}: those stay as they are`);
        if (event.config.updates < event.update) throw new FileError(`after update ${event.update} the run is to end at update ${event.config.updates}`);
        this.#config = event.config;
        return;
      }
      case "group":
        if (event.update !== this.#update + 1) throw new FileError(`a group of update ${event.update} comes after update ${this.#update}`);
        return checkGroup(event.group);
      case "update":
        if (event.update !== this.#update + 1 || event.update > updates) throw new FileError(`update ${event.update} comes after update ${this.#update}, of ${updates}`);
        this.#update = event.update;
        return;
      case "evaluation":
        if (event.update > updates) throw new FileError(`an evaluation is of update ${event.update}, of ${updates}`);
        return checkReport(event.report);
      case "run-finished":
        if (event.updates !== this.#update) throw new FileError(`the run ends after ${event.updates} updates, and ${this.#update} are told`);
        this.#isOver = true;
        checkReport(event.heldout);
        return checkReport(event.shifted);
      case "run-failed":
      case "device-lost":
        this.#isOver = true;
        return;
      default:
        return;
    }
  }
}

/** What weights belong to stays through a run; other settings may change on its way. */
export const differingPart = (one: RunConfig, other: RunConfig): "policy" | "environment" | "harness" | undefined =>
  (["policy", "environment", "harness"] as const).find((part) => JSON.stringify(one[part]) !== JSON.stringify(other[part]));

function checkReport({ tasks, trials, successes, passHatK, passAtK, passHatKInterval, passAtKInterval }: EvaluationReport): void {
  const longest = Math.min(8, trials);
  if (successes.length !== tasks) throw new FileError(`an evaluation of ${tasks} tasks has ${successes.length} results`);
  if (successes.some((count) => count > trials)) throw new FileError(`an evaluation counts more successes than its ${trials} trials`);
  const lengths = [passHatK, passAtK, passHatKInterval, passAtKInterval].map((list) => list.length);
  if (lengths.some((length) => length !== longest)) throw new FileError(`an evaluation of ${trials} trials has ${lengths.join(", ")} points, needs ${longest}`);
}

function checkGroup({ members, credits }: GroupRecord): void {
  for (const [index, { sequences, turns }] of members.entries()) {
    for (const { sequence, start, end } of turns) {
      const length = sequences[sequence]?.length;
      if (length === undefined || start > end || end > length) throw new FileError(`a turn of trajectory ${index + 1} lies outside its tokens`);
    }
  }
  for (const row of credits) {
    const fits = row.credits.length === members.length && row.credits.every((list, index) => list.length === members[index]?.turns.length);
    if (!fits) throw new FileError(`the credits under ${row.id} are not those of the group's turns`);
  }
}
