import type { CodeResult, CodeRunner } from "#core/environment.ts";

/** Most results kept, and most characters of a source with its calls that is kept at all. */
const MOST_KEPT = 8_000;
const LONGEST_KEPT = 20_000;

/**
 * Remembers results by source, calls and step limit, the one used longest ago leaving first; a run asked for twice at the same time is
 * made once. What ended by the clock is not remembered: it may come out differently.
 */
export function cached(runner: CodeRunner, byTheClock: (result: CodeResult) => boolean = () => false): CodeRunner {
  const known = new Map<string, Promise<CodeResult>>();
  return {
    run(source, calls, stepLimit) {
      const key = `${stepLimit}\n${JSON.stringify(calls)}\n${source}`;
      const found = known.get(key);
      if (found !== undefined) {
        known.delete(key);
        known.set(key, found);
        return found;
      }
      const result = runner.run(source, calls, stepLimit);
      if (key.length > LONGEST_KEPT) return result;
      known.set(key, result);
      const forget = (): void => {
        if (known.get(key) === result) known.delete(key);
      };
      result.then((value) => byTheClock(value) && forget(), forget);
      if (known.size > MOST_KEPT) for (const oldest of known.keys()) {
        known.delete(oldest);
        break;
      }
      return result;
    },
  };
}
