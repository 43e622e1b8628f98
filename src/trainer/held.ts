/** What was opened one after the other, and is let go of in the other order: at the end, or where the next could not be opened. */
export class Held {
  #all: { dispose(): void }[] = [];

  add<T extends { dispose(): void }>(one: T): T {
    this.#all.push(one);
    return one;
  }

  dispose(): void {
    const all = this.#all.toReversed();
    this.#all = [];
    for (const one of all) one.dispose();
  }
}
