import { createRng } from "#core/rng.ts";
import { ENVIRONMENTS } from "#environments/registry.ts";
import type { Level } from "#environments/sokoban/board.ts";
import { tasks } from "#environments/sokoban/tasks.ts";
import { PRESETS, type PresetId } from "#run/run-config.ts";

/** The training room of a number, as large as the preset's; of presets of other environments Sokoban's usual one. A play on it can be learnt from. */
export function roomOf(preset: PresetId, number: number): Level | null {
  const { environment } = PRESETS[preset];
  const settings = environment.id === "sokoban" ? environment : ENVIRONMENTS.sokoban.defaults;
  return tasks(settings, "train", 1, createRng(number).fork("by-hand"))[0]?.level ?? null;
}
