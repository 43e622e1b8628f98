import type { Rng } from "#core/chance.ts";
import type { Split, World } from "#core/environment.ts";
import { TaskError } from "#core/errors.ts";
import { choose, drawFrom, shuffled } from "#core/rng.ts";
import type { Observation, SeenStep } from "#core/trajectory.ts";
import type { RefundDeskConfig } from "./config.ts";
import { addNote, beginNotes, type Notes } from "./notes.ts";
import { completions, kindShares, type Kind } from "./prior.ts";
import { createTask, denyCase, initialState, refundOrder, type Content, type DeskState, type DeskTask } from "./state.ts";
import { drawCase, withIds, type Case } from "./tasks.ts";
import { ORDER_IDS, RECENT, SHIFTED_WINDOWS } from "./words.ts";

type DeskWorld = World<DeskTask, DeskState>;

const splitOf = (window: number): Split => (SHIFTED_WINDOWS.includes(window) ? "shifted" : "train");

/** The state after everything noted, had the task been this one. */
function stateAfter(task: DeskTask, notes: Notes): DeskState {
  const refunded = notes.refunded.reduce(refundOrder, task.database);
  return {
    ...initialState(task),
    database: notes.denied ? denyCase(refunded) : refunded,
    listed: notes.listing !== null,
    checked: [...notes.dates.keys()],
    asked: notes.asked,
    failed: notes.failed,
  };
}

function createWorld(content: Content, notes: Notes, { failureRate, briefed }: RefundDeskConfig, probability: number): DeskWorld {
  const task = createTask(content, splitOf(content.window), failureRate, briefed);
  return { probability, task, state: stateAfter(task, notes) };
}

/** All that a listing leaves open: ages of unchecked orders, and which order is meant. */
function afterListing(config: RefundDeskConfig, notes: Notes, listing: NonNullable<Notes["listing"]>): readonly DeskWorld[] {
  const { window, wanted, named } = notes;
  const matches = listing.flatMap(({ item }, index) => (item === wanted ? [index] : []));
  const kind: Kind = wanted === RECENT ? "recent" : matches.length > 1 ? "ambiguous" : "named";
  const targets = named === null ? matches : matches.filter((index) => listing[index]?.id === named);
  const known = listing.map(({ id }) => notes.dates.get(id));
  return completions(kind, window, config.denyShare, known, targets).map(({ probability, ages, target }) => createWorld(
    { window, wanted, kind, target, orders: listing.map(({ item, id }, index) => ({ item, id, age: ages[index] ?? null })) },
    notes, config, probability,
  ));
}

/**
 * Ids for a drawn case such that it shows what was noted before a listing, with the weight of that: how many ways there were to
 * place the ids that were seen, times the chance that the others avoid those not found. Null where there is no way.
 */
function placeIds(rng: Rng, { kind, target, ages }: Case, notes: Notes): { readonly ids: readonly string[]; readonly weight: number } | null {
  const { named, dates } = notes;
  if (notes.asked && (kind === "ambiguous") !== (named !== null)) return null;
  const ids: (string | undefined)[] = ages.map((_, index) => (named !== null && index === target ? named : undefined));
  let weight = 1;
  for (const [id, age] of dates) {
    if (ids.includes(id)) {
      if (ages[ids.indexOf(id)] !== age) return null;
      continue;
    }
    const places = ids.flatMap((taken, index) => (taken === undefined && ages[index] === age ? [index] : []));
    if (places.length === 0) return null;
    weight *= places.length;
    ids[choose(rng, places)] = id;
  }
  const barred = new Set([...notes.notOwn, ...notes.absent]);
  const free = ORDER_IDS.filter((id) => !ids.includes(id));
  const allowed = shuffled(rng, free.filter((id) => !barred.has(id)));
  const missing = ids.filter((id) => id === undefined).length;
  for (let drawn = 0; drawn < missing; drawn += 1) {
    weight *= Math.max(0, allowed.length - drawn) / (free.length - drawn);
  }
  return weight === 0 ? null : { ids: ids.map((id) => id ?? allowed.pop() ?? ""), weight };
}

/** Tries per world; what was seen before a listing is seldom improbable. */
const ATTEMPTS = 2000;

function beforeListing(config: RefundDeskConfig, notes: Notes, rng: Rng, limit: number): readonly DeskWorld[] {
  const { window, wanted } = notes;
  const split = splitOf(window);
  const kinds = kindShares(config, split === "shifted" ? 4 : config.maxOrders)
    .filter(([kind]) => (kind === "recent") === (wanted === RECENT));
  const total = kinds.reduce((sum, [, share]) => sum + share, 0);

  const draw = (stream: Rng): DeskWorld | null => {
    const [kind] = kinds[drawFrom(stream, kinds.map(([, share]) => share / total))] ?? ["recent"];
    const drawn = drawCase(stream, config, split, kind, notes, null);
    const placed = placeIds(stream, drawn, notes);
    if (placed === null) return null;
    const world = createWorld(withIds(drawn, placed.ids), notes, config, placed.weight);
    const present = new Set(world.task.database.orders.map(({ id }) => id));
    return notes.refunded.every((id) => present.has(id)) && !notes.absent.some((id) => present.has(id)) ? world : null;
  };
  const found: DeskWorld[] = [];
  for (let index = 0; index < limit; index += 1) {
    const stream = rng.fork(`world/${index}`);
    let world: DeskWorld | null = null;
    for (let attempt = 0; attempt < ATTEMPTS && world === null; attempt += 1) world = draw(stream);
    if (world !== null) found.push(world);
  }
  const sum = found.reduce((weights, { probability }) => weights + probability, 0);
  return found.map((world) => ({ ...world, probability: world.probability / sum }));
}

/**
 * What may be behind what was seen, under the task distribution of `config`; that a task's content decides its split is left out.
 * Before the first listing `limit` worlds are drawn from the prior given what was seen; after it all are enumerated, whatever the
 * limit, with exact weights: whether a call failed says nothing about them, and somebody else's orders follow from the listing.
 * @throws TaskError when this configuration cannot show what was seen.
 */
export function worlds(
  config: RefundDeskConfig, first: Observation, seen: readonly SeenStep[], rng: Rng, limit: number,
): { readonly worlds: readonly DeskWorld[]; readonly exhaustive: boolean } {
  const notes = seen.reduce(addNote, beginNotes(first));
  const { listing } = notes;
  const found = listing === null ? beforeListing(config, notes, rng, limit) : afterListing(config, notes, listing);
  if (found.length === 0) throw new TaskError("no world of this configuration shows what was seen", { steps: seen.length });
  return { worlds: found, exhaustive: listing !== null };
}
