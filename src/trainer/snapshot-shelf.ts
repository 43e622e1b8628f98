import { leastMissed } from "#core/thinning.ts";
import type { RunSnapshot } from "#run/run-snapshot.ts";

/** Bytes of all snapshots that are kept to go back to: 31 of the default policy with its optimiser. */
const ROOM = 48 * 1024 * 1024;
/** However large they are. */
const FEWEST = 3;
/** In updates: the last few are always there. */
const SOFTNESS = 4;
/** An update with an evaluation is rather kept than its neighbours: its weights are the ones whose reliability is known. */
const EVALUATED = 4;

/** What a run was after some of its updates: the newest dense, older ones ever sparser, always the first. Of one size each. */
export class SnapshotShelf {
  readonly #room: number;
  #kept: readonly RunSnapshot[] = [];

  constructor(room: number = ROOM) {
    this.#room = room;
  }

  /** Ascending. */
  get updates(): readonly number[] {
    return this.#kept.map(({ update }) => update);
  }

  at(update: number): RunSnapshot | null {
    return this.#kept.find((snapshot) => snapshot.update === update) ?? null;
  }

  /** Of an update behind all that are kept. One whose weights are not finite is of no use and left out. @returns whether it was taken */
  add(snapshot: RunSnapshot): boolean {
    if (!snapshot.policy.weights.every(Number.isFinite)) return false;
    const all = [...this.#kept, snapshot];
    const most = Math.max(FEWEST, Math.floor(this.#room / bytesOf(snapshot)));
    const worth = (update: number): number => (update % snapshot.config.evaluation.every === 0 ? EVALUATED : 1);
    this.#kept = all.length <= most ? all : all.toSpliced(leastMissed(all.map(({ update }) => update), SOFTNESS, worth), 1);
    return true;
  }

  /** Only what was before the end of an update, and it, stays. */
  rewind(update: number): void {
    this.#kept = this.#kept.filter((snapshot) => snapshot.update <= update);
  }
}

/** Of all arrays of numbers in plain data. */
function bytesOf(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  return typeof value === "object" && value !== null ? Object.values(value).reduce<number>((sum, part) => sum + bytesOf(part), 0) : 0;
}
