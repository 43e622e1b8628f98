import { createRng } from "#core/rng.ts";
import { DEFAULTS, type SokobanConfig } from "#environments/sokoban/config.ts";
import { generateRoom } from "#environments/sokoban/generator.ts";
import { replay } from "#environments/sokoban/solution.ts";
import { solve } from "#environments/sokoban/solver.ts";
import type { Check } from "./registry.ts";

interface Kind {
  readonly size: number;
  readonly boxes: number;
  readonly rooms: number;
}

/** 10,000 small rooms and 300 larger ones. */
const KINDS: readonly Kind[] = [
  ...[4, 5, 6].flatMap((size) => [1, 2].map((boxes) => ({ size, boxes, rooms: size === 6 && boxes === 2 ? 1670 : 1666 }))),
  { size: 8, boxes: 2, rooms: 100 }, { size: 8, boxes: 3, rooms: 100 }, { size: 10, boxes: 4, rooms: 100 },
];
/** Seconds of one core for any one room: the generator's own budget of search. */
const MOST_SECONDS = 10;

/** Milliseconds that the process kept a core busy: what other programs took of it meanwhile is left out. */
const busy = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const configOf = ({ size, boxes }: Kind): SokobanConfig => ({ ...DEFAULTS, size, boxes, minPushes: 1, maxPushes: 100, maxMoves: 400 });

/** Every seed gives a room, within the generator's budget, whose solution solves it in exactly the pushes that are claimed. */
export const sokobanGenerates: Check = {
  async run(progress) {
    const figures: Record<string, number | string> = {};
    let passed = true;
    for (const kind of KINDS) {
      let [failures, wrong, attempts, slowest] = [0, 0, 0, 0];
      const since = busy();
      for (let seed = 0; seed < kind.rooms; seed += 1) {
        const started = busy();
        const room = generateRoom(createRng(seed), configOf(kind));
        slowest = Math.max(slowest, busy() - started);
        attempts += room.attempts;
        if (room.level === undefined) {
          failures += 1;
          progress(`seed ${seed}: ${JSON.stringify(room.reasons)}`);
          continue;
        }
        const solution = solve(room.level, 1_000_000);
        const played = solution.kind === "solved" ? replay(room.level, solution.moves) : undefined;
        if (played?.solved !== true || played.pushes !== room.pushes) wrong += 1;
      }
      const name = `${kind.size} × ${kind.size}, ${kind.boxes} boxes`;
      const mean = (busy() - since) / kind.rooms;
      figures[`${name}: rooms`] = kind.rooms;
      figures[`${name}: failures, wrong`] = `${failures}, ${wrong}`;
      figures[`${name}: draws a room`] = Math.round((100 * attempts) / kind.rooms) / 100;
      figures[`${name}: ms a room with its check, slowest ms`] = `${mean.toFixed(1)}, ${slowest.toFixed(0)}`;
      progress(`${name}: ${kind.rooms} rooms, ${failures} failures, ${mean.toFixed(1)} ms each, slowest ${slowest.toFixed(0)} ms`);
      passed &&= failures === 0 && wrong === 0 && slowest <= MOST_SECONDS * 1000;
    }
    return { passed, figures };
  },
};
