/**
 * Lets go of work that somebody else may never finish. In a `Promise.race` against a promise that lives long, that promise keeps every
 * result there ever was; here nothing of what has settled is kept.
 */
export class Lifeline {
  #cut: { readonly error: Error } | undefined;
  readonly #pending = new Set<(error: Error) => void>();

  /** Rejects all that is held, and all that will be. */
  cut(error: Error): void {
    this.#cut ??= { error };
    for (const reject of this.#pending) reject(error);
    this.#pending.clear();
  }

  /** Settles as the work does, or rejects once it is cut. */
  hold<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#cut !== undefined) {
        work.catch(() => undefined);
        reject(this.#cut.error);
        return;
      }
      this.#pending.add(reject);
      work.then(resolve, reject).finally(() => this.#pending.delete(reject));
    });
  }
}
