import { PRESETS, type RunConfig } from "#run/run-config.ts";
import { changes } from "#store/config-path.ts";
import { titleAt } from "../controls/field.ts";
import { settingValue } from "../controls/change-text.ts";

const NAMED = 3;

/** Said elsewhere, or of no matter to what is learnt. */
const isAside = (path: string): boolean => path === "seed" || path === "updates" || path.startsWith("evaluation.");

/** A run's preset, and what its settings have of their own beside it, in the words of the form: what tells runs of one preset apart. */
export function settingsName(config: RunConfig): string {
  const own = changes(PRESETS[config.preset], config).filter(({ path }) => !isAside(path));
  const named = own.slice(0, NAMED).map(({ path, after }) => `${titleAt(config, path)} ${settingValue(config, path, after)}`);
  const more = own.length > NAMED ? [`${own.length - NAMED} more`] : [];
  return [config.preset, ...named, ...more].join(", ");
}
