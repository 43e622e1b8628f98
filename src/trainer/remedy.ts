import { KernelError } from "#core/errors.ts";
import type { RunConfig } from "#run/run-config.ts";
import { toWire, type WireError } from "#run/wire-error.ts";

const isOutOfMemory = (error: unknown): boolean =>
  (error instanceof KernelError && error.detail["fault"] === "out-of-memory") || (error instanceof RangeError && /alloc|memory|array length/i.test(error.message));

/** The setting that decides how much memory an update takes, with a smaller value; null where none is left to be made smaller. */
export function smallerSetting({ algorithm, policy }: RunConfig): { readonly setting: string; readonly value: number } | null {
  const groups = Math.max(algorithm.minibatches, Math.floor(algorithm.groupsPerUpdate / 2));
  if (groups < algorithm.groupsPerUpdate) return { setting: "algorithm.groupsPerUpdate", value: groups };
  if (algorithm.groupSize > 2) return { setting: "algorithm.groupSize", value: Math.max(2, Math.floor(algorithm.groupSize / 2)) };
  return policy.width > 32 ? { setting: "policy.width", value: Math.max(32, Math.floor(policy.width / 32) * 16) } : null;
}

/** An error as the page gets it: with what would help, where that is known, as `setting` and `value`. */
export function withRemedy(error: unknown, config: RunConfig): WireError {
  const wire = toWire(error);
  if (!isOutOfMemory(error)) return wire;
  const smaller = smallerSetting(config);
  const advice = smaller === null ? "" : `. ${smaller.setting} decides how much an update takes: try ${smaller.value}`;
  return { code: wire.code, message: `${wire.message}${advice}`, detail: { ...wire.detail, fault: "out-of-memory", ...smaller } };
}
