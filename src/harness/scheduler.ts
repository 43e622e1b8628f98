import type { Maybe, Task } from "#core/environment.ts";
import { HarnessError } from "#core/errors.ts";
import type { PolicyBackend, SampleRequest } from "#core/policy.ts";
import { Episode, type EpisodeSpec, type Rollout } from "./episode.ts";

export interface Round {
  readonly finished: number;
  readonly total: number;
}

export interface RolloutOptions {
  /** Episodes sampled together; changes speed and memory, never a result. */
  readonly concurrency?: number;
  readonly greedy: boolean;
  /** Most tokens of one action; the longest legal action of any of the harnesses where absent. */
  readonly maxTokens?: number;
  /** Looked at before each round. */
  readonly signal?: { readonly aborted: boolean } | undefined;
  /** Called after each round; a promise is awaited, so an evaluation can be paused. */
  readonly onRound?: ((round: Round) => Maybe<void>) | undefined;
}

/**
 * Plays every episode to its end, in rounds of one action of each active one; results in the order of `specs`.
 * An episode keeps its place, hence its slot of the policy's cache, until it ends and the next one takes over.
 * @throws HarnessError when aborted or when the policy breaks its contract; what `policy.sample` throws passes through.
 */
export async function rollouts<T extends Task, S>(
  specs: readonly EpisodeSpec<T, S>[], policy: Pick<PolicyBackend, "sample">, options: RolloutOptions,
): Promise<readonly Rollout<S>[]> {
  const { concurrency = 512, greedy, signal, onRound } = options;
  if (specs.length === 0) return [];
  const maxTokens = options.maxTokens ?? longestOf(specs);
  const results = Array.from<Rollout<S> | undefined>({ length: specs.length });
  const places: (Active<T, S> | undefined)[] = Array.from({ length: Math.min(Math.max(concurrency, 1), specs.length) });
  let started = 0;
  let finished = 0;

  for (;;) {
    if (signal?.aborted) throw new HarnessError(`rollouts were aborted after ${finished} of ${specs.length}`, { aborted: true });
    const requests: SampleRequest[] = [];
    const asking: Episode<T, S>[] = [];
    for (let slot = 0; slot < places.length; slot += 1) {
      for (;;) {
        const place = places[slot];
        const request = place?.episode.request();
        if (place !== undefined && request !== undefined) {
          requests.push({ ...request, slot });
          asking.push(place.episode);
          break;
        }
        if (place !== undefined) {
          results[place.index] = place.episode.result();
          finished += 1;
          places[slot] = undefined;
        }
        const spec = specs[started];
        if (spec === undefined) break;
        places[slot] = { index: started, episode: new Episode(spec, maxTokens) };
        started += 1;
      }
    }
    if (requests.length === 0) break;

    const completions = await policy.sample(requests, { greedy, maxTokens });
    if (completions.length !== requests.length) {
      throw new HarnessError(`the policy was asked for ${requests.length} actions and gave ${completions.length}`);
    }
    const waiting: Promise<void>[] = [];
    for (const [index, completion] of completions.entries()) {
      const pending = asking[index]?.advance(completion);
      if (pending !== undefined) waiting.push(pending);
    }
    if (waiting.length > 0) await Promise.all(waiting);
    const paused = onRound?.({ finished, total: specs.length });
    if (paused !== undefined) await paused;
  }
  return results.filter((result) => result !== undefined);
}

interface Active<T extends Task, S> {
  readonly index: number;
  readonly episode: Episode<T, S>;
}

const longestOf = <T extends Task, S>(specs: readonly EpisodeSpec<T, S>[]): number =>
  Math.max(...new Set(specs.map(({ harness }) => harness.longestAction)));
