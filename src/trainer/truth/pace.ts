import type { Gate } from "../runtime.ts";

/** Calls of the environment between two looks at the gate: a few milliseconds. */
const CALLS = 1500;

/** Lets commands in while truth is measured: before each call of the policy, and after so many of the environment. */
export class Pace {
  readonly #gate: Gate;
  #calls = 0;

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  /** Counts one call of the environment. */
  due(): boolean {
    this.#calls += 1;
    return this.#calls >= CALLS;
  }

  /** @throws what the gate throws when the work is to end. */
  async rest(): Promise<void> {
    this.#calls = 0;
    await this.#gate();
  }
}
