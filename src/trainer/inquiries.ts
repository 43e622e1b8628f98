import { RunStopped, type Gate } from "./runtime.ts";

interface Inquiry {
  isOver: boolean;
  work(): Promise<void>;
  /** It will not be worked on. */
  drop(): void;
}

/**
 * Questions about what was sampled, one at a time: the next question, and whatever command makes a run go on, cuts short the one before.
 * They are worked on only when told to, at a moment when nothing else computes.
 */
export class Inquiries {
  readonly #breathe: () => Promise<void>;
  #waiting: Inquiry | null = null;
  #current: Inquiry | null = null;
  #idle: Promise<void> = Promise.resolve();

  /** @param breathe lets commands in, and work that must not wait, while a question is worked on */
  constructor(breathe: () => Promise<void>) {
    this.#breathe = breathe;
  }

  /** Null where it was cut short. The answer comes some time after `work` was called. */
  ask<A>(question: (gate: Gate) => Promise<A>): Promise<A | null> {
    void this.cancel();
    return new Promise((resolve, reject) => {
      const inquiry: Inquiry = {
        isOver: false,
        drop: () => resolve(null),
        work: async () => {
          const gate = async (): Promise<void> => {
            await this.#breathe();
            if (inquiry.isOver) throw new RunStopped();
          };
          try {
            resolve(await question(gate));
          } catch (error) {
            if (error instanceof RunStopped) resolve(null);
            else reject(error);
          }
        },
      };
      this.#waiting = inquiry;
    });
  }

  /** Cuts short what is worked on or waits; resolves when nothing of it computes any more. */
  cancel(): Promise<void> {
    this.#waiting?.drop();
    this.#waiting = null;
    if (this.#current !== null) this.#current.isOver = true;
    return this.#idle;
  }

  /** Works on the questions there are; resolves when none is left. @returns whether there was one */
  async work(): Promise<boolean> {
    if (this.#waiting === null && this.#current === null) return false;
    if (this.#current === null) this.#idle = this.#workOff();
    await this.#idle;
    return true;
  }

  async #workOff(): Promise<void> {
    for (let next = this.#waiting; next !== null; next = this.#waiting) {
      this.#waiting = null;
      this.#current = next;
      await next.work();
      this.#current = null;
    }
  }
}
