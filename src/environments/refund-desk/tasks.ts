import type { Rng } from "#core/chance.ts";
import type { Split } from "#core/environment.ts";
import { TaskError } from "#core/errors.ts";
import { hashText } from "#core/json.ts";
import { choose, drawIndex, shuffled } from "#core/rng.ts";
import type { RefundDeskConfig } from "./config.ts";
import { drawAges, kindShares, orderCounts, type Age, type Kind } from "./prior.ts";
import { contentText, createTask, type Content, type DeskTask } from "./state.ts";
import { ITEMS, ORDER_IDS, RECENT, SHIFTED_ITEMS, SHIFTED_WINDOWS, WINDOWS } from "./words.ts";

/** Shares of kinds and of denials are exact within so many tasks, as far as they are whole numbers of tasks. */
const BLOCK = 20;
const ATTEMPTS = 2000;

const itemsOf = (split: Split): readonly string[] => (split === "shifted" ? SHIFTED_ITEMS : ITEMS);
const windowsOf = (split: Split): readonly number[] => (split === "shifted" ? SHIFTED_WINDOWS : WINDOWS);

/** A case without order ids. */
export interface Case {
  readonly window: number;
  readonly wanted: string;
  readonly kind: Kind;
  readonly items: readonly string[];
  readonly ages: readonly Age[];
  readonly target: number;
}

/** Which orders have the wanted item (any number ≥ 2 of them is equally likely when ambiguous), and the items of the others. */
function drawItems(rng: Rng, kind: Kind, wanted: string, count: number, items: readonly string[]): readonly string[] {
  if (kind === "recent") return Array.from({ length: count }, () => choose(rng, items));
  const matches = kind === "named" ? 1 : 2 + drawIndex(rng, count - 1);
  const others = items.filter((item) => item !== wanted);
  return shuffled(rng, Array.from({ length: count }, (_, index) => (index < matches ? wanted : choose(rng, others))));
}

export interface Shown {
  readonly window: number;
  readonly wanted: string;
}

/** @param denied whether the right ending is a denial; null: as it comes. */
export function drawCase(rng: Rng, config: RefundDeskConfig, split: Split, kind: Kind, { window, wanted }: Shown, denied: boolean | null): Case {
  const count = choose(rng, orderCounts(kind, split, config.maxOrders));
  const items = drawItems(rng, kind, wanted, count, itemsOf(split));
  const meant = items.flatMap((item, index) => (kind === "recent" || item === wanted ? [index] : []));
  const target = choose(rng, meant);
  return { window, wanted, kind, items, target, ages: drawAges(rng, { kind, window, target, count }, config.denyShare, denied) };
}

export const withIds = ({ items, ages, ...rest }: Case, ids: readonly string[]): Content => ({
  ...rest, orders: items.map((item, index) => ({ id: ids[index] ?? "", item, age: ages[index] ?? null })),
});

/** How often each value occurs in a block: evenly spaced points over the shares, so that its mean is exactly the share's. */
function spread<T>(rng: Rng, shares: readonly (readonly [T, number])[]): T[] {
  const offset = rng.next();
  const values = Array.from({ length: BLOCK }, (_, index) => {
    let point = (index + offset) / BLOCK - 1e-9;
    for (const [value, share] of shares) {
      if (point < share) return value;
      point -= share;
    }
    return shares.findLast(([, share]) => share > 0)?.[0] as T;
  });
  return shuffled(rng, values);
}

const belongs = (text: string, split: Split): boolean => split === "shifted" || (hashText(text) % 10 === 0) === (split === "heldout");

/**
 * `heldout` holds the tasks whose content hashes into one bucket of ten, `train` the rest; `shifted` has windows and items of its
 * own and always 4 orders. A content that belongs elsewhere, or was drawn before, is drawn again with the same kind and ending.
 * Fewer tasks asked for are the first of more.
 */
export function tasks(config: RefundDeskConfig, split: Split, count: number, rng: Rng): readonly DeskTask[] {
  const kinds = kindShares(config, split === "shifted" ? 4 : config.maxOrders);
  const endings = [[true, config.denyShare], [false, 1 - config.denyShare]] as const;
  const seen = new Set<string>();
  const found: DeskTask[] = [];

  const draw = (stream: Rng, kind: Kind, denied: boolean): DeskTask => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const window = choose(stream, windowsOf(split));
      const wanted = kind === "recent" ? RECENT : choose(stream, itemsOf(split));
      const content = withIds(drawCase(stream, config, split, kind, { window, wanted }, denied), shuffled(stream, ORDER_IDS));
      const text = contentText(content);
      if (seen.has(text) || !belongs(text, split)) continue;
      seen.add(text);
      return createTask(content, split, config.failureRate, config.briefed);
    }
    throw new TaskError(`asked for ${count} distinct ${split} tasks of at most ${config.maxOrders} orders, found ${found.length}`, {
      asked: count, found: found.length, split,
    });
  };
  for (let block = 0; found.length < count; block += 1) {
    const stream = rng.fork(`block/${block}`);
    const denials = spread(stream, endings);
    for (const [index, kind] of spread(stream, kinds).entries()) {
      if (found.length === count) break;
      found.push(draw(stream, kind, denials[index] ?? false));
    }
  }
  return found;
}
