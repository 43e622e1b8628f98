/** Where values are while a program runs: a frame for each call, a slot for each name. */
export interface Frame {
  readonly slots: unknown[];
  readonly parent: Frame | null;
}
export type Evaluate = (frame: Frame) => unknown;
/** @returns NOTHING, or the value returned. */
export type Execute = (frame: Frame) => unknown;

export interface Binding {
  readonly slot: number;
  readonly constant: boolean;
}

export const UNSET = Symbol("not yet declared");
export const NOTHING = Symbol("no return");

/** Names of one function, block by block. */
export class Scope {
  readonly parent: Scope | null;
  #blocks: Map<string, Binding>[] = [new Map()];
  #size = 0;
  constructor(parent: Scope | null) {
    this.parent = parent;
  }
  /** @throws SyntaxError for a name that the block has already. */
  declare(name: string, constant: boolean): number {
    const block = this.#blocks.at(-1);
    if (block === undefined || block.has(name)) throw new SyntaxError(`${name} is declared twice`);
    block.set(name, { slot: this.#size, constant });
    this.#size += 1;
    return this.#size - 1;
  }
  find(name: string): Binding | undefined {
    return this.#blocks.findLast((block) => block.has(name))?.get(name);
  }
  within<T>(compile: () => T): T {
    this.#blocks.push(new Map());
    const compiled = compile();
    this.#blocks.pop();
    return compiled;
  }
}
