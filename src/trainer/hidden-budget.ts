/** A page that nobody sees is worked for so long. */
export const HIDDEN_MINUTES = 5;
/** A thread that was frozen did not work meanwhile: no more than this counts between two pieces of work, in milliseconds. */
const LONGEST_PIECE = 10_000;

/** Adds up the time that was worked while nobody saw the page. */
export class HiddenBudget {
  readonly #now: () => number;
  #isHidden = false;
  #spent = 0;
  #last = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  setHidden(isHidden: boolean): void {
    this.#isHidden = isHidden;
    this.#last = this.#now();
    this.renew();
  }

  renew(): void {
    this.#spent = 0;
  }

  /** To be called between pieces of work. @returns whether the time is up; it then begins anew */
  isSpent(isWorking: boolean): boolean {
    const now = this.#now();
    if (this.#isHidden && isWorking) this.#spent += Math.min(LONGEST_PIECE, now - this.#last);
    this.#last = now;
    if (this.#spent < HIDDEN_MINUTES * 60_000) return false;
    this.renew();
    return true;
  }
}
