import type { Split, Task } from "#core/environment.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { withArena } from "../arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { networksOf } from "#trainer/scorer/open.ts";
import { train } from "#trainer/train.ts";
import { checkpointFor, openExecutor } from "../host.ts";

/** Milliseconds that this process has kept cores busy: what a run takes, whoever else is on the machine. */
export const cpuClock = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

interface Watching {
  /** Whether to stop after this event. */
  readonly enough?: (event: RunEvent) => boolean;
  /** Milliseconds; the wall clock where absent. */
  readonly now?: () => number;
  /** Told which tasks are asked for, as often as they are. */
  readonly asked?: (split: Split, tasks: readonly Task[]) => void;
}

/** A run on the WASM engine in the arithmetic that is the same everywhere; its events but for the groups. */
export async function trainedEvents(config: RunConfig, { enough = () => false, now = () => performance.now(), asked }: Watching = {}): Promise<readonly RunEvent[]> {
  const checkpoint = await checkpointFor(config.from, config.preset);
  const executor = await openExecutor("wasm", "simd128");
  return withArena(config, async (whole) => {
    const arena: typeof whole = {
      ...whole,
      tasks: (split, count, rng) => {
        const tasks = whole.tasks(split, count, rng);
        asked?.(split, tasks);
        return tasks;
      },
    };
    const policy = openPolicy(executor, config, arena, checkpoint);
    const networks = await networksOf(config, arena, executor, policy);
    const events: RunEvent[] = [];
    for await (const event of train(config, { arena, policy, networks, now, gate: () => Promise.resolve() })) {
      if (event.type !== "group") events.push(event);
      if (enough(event)) break;
    }
    policy.dispose();
    return events;
  });
}

type Of<K extends RunEvent["type"]> = Extract<RunEvent, { type: K }>;

export const eventsOf = <K extends RunEvent["type"]>(events: readonly RunEvent[], type: K): readonly Of<K>[] =>
  events.filter((event): event is Of<K> => event.type === type);

/** @throws Error when the run did not finish. */
export function finished(events: readonly RunEvent[]): Of<"run-finished"> {
  const last = eventsOf(events, "run-finished").at(-1);
  if (!last) throw new Error("the run did not finish");
  return last;
}
