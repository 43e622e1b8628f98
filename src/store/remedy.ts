import { ConfigError } from "#core/errors.ts";
import { parseRunConfig, setPath, type RunConfig } from "#run/run-config.ts";
import type { WireError } from "#run/wire-error.ts";

export interface Remedy {
  readonly setting: string;
  readonly value: number;
  apply(config: RunConfig): RunConfig;
}

/** The one change of a setting that a failure asks for; null where it asks for none. */
export function remedyOf(error: WireError | null): Remedy | null {
  const { setting, value } = error?.detail ?? {};
  if (typeof setting !== "string" || typeof value !== "number") return null;
  const apply = (config: RunConfig): RunConfig => {
    try {
      return parseRunConfig(setPath(config, setting, String(value)));
    } catch (fault) {
      if (fault instanceof ConfigError) return config;
      throw fault;
    }
  };
  return { setting, value, apply };
}
