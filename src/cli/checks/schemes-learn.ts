import { mean } from "#core/statistics.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { RECIPE_IDS, withRecipe } from "#run/recipe.ts";
import type { Check } from "./registry.ts";
import { cpuClock, eventsOf, trainedEvents } from "./training.ts";

/** Held-out pass^1 to be reached, and the seconds of sampling and learning there are for it, in the time that cores are kept busy. */
const GOAL = 0.8;
const SECONDS = Number(process.env["TURNWISE_SECONDS"] ?? 120);
/** All of them, unless some are named. */
const WANTED: readonly string[] = process.env["TURNWISE_RECIPES"]?.split(",") ?? RECIPE_IDS;
/** Updates between looks at held-out tasks, whose time is not counted. */
const EVERY = 10;
/** Those that must get there, and those that must not: they learn from no reward. */
const MUST = ["grpo", "dr-grpo", "rloo", "gigpo"];
const MUST_NOT = ["sft-only", "random-reward"];

type Update = Extract<RunEvent, { type: "update" }>;

const secondsOf = (updates: readonly Update[]): number => updates.reduce((sum, { timing: { rollout, learn } }) => sum + rollout + learn, 0);
const meanOf = (updates: readonly Update[], of: (metrics: Update["metrics"]) => number): number => mean(updates.map(({ metrics }) => of(metrics)));

/** What kept a run from the goal, out of what it measured itself. */
function reasonOf({ algorithm: { objective }, reward }: RunConfig, updates: readonly Update[]): string {
  if (objective.id === "sft") return "it imitates the demonstrator, errors included, and learns from no reward";
  if (reward.id === "coin-flip") return "its reward does not depend on what was done";
  const part = Math.max(1, Math.floor(updates.length / 4));
  const [early, before, late] = [updates.slice(0, 10), updates.slice(-2 * part, -part), updates.slice(-part)];
  const rise = meanOf(late, ({ success }) => success) - meanOf(before, ({ success }) => success);
  const [turnsThen, turnsNow] = [meanOf(early, ({ turns }) => turns), meanOf(late, ({ turns }) => turns)];
  const alike = meanOf(late, ({ noSignalShare }) => noSignalShare);
  const facts = [
    `${(secondsOf(updates) / updates.length).toFixed(2)} s an update`,
    `success in training ${meanOf(late, ({ success }) => success).toFixed(2)} in the last quarter, ${rise >= 0 ? "+" : ""}${rise.toFixed(2)} on the quarter before`,
    `turns ${turnsThen.toFixed(1)} -> ${turnsNow.toFixed(1)}`, `groups without signal ${Math.round(100 * alike)} %`, `entropy ${meanOf(late, ({ entropy }) => entropy ?? 0).toFixed(2)}`,
  ].join(", ");
  if (rise > 0.01) return `still rising (${facts})`;
  if (turnsThen - turnsNow > 0.4) return `episodes got shorter: look-ups are skipped (${facts})`;
  if (alike > 0.6) return `nothing left to compare (${facts})`;
  return `levelled off (${facts})`;
}

/** Every recipe from the same base policy: which reach the goal within the time, and what held up those that do not. */
export const schemesLearn: Check = {
  async run(progress) {
    const figures: Record<string, string> = {};
    const reached: string[] = [];
    for (const id of RECIPE_IDS.filter((known) => WANTED.includes(known))) {
      const preset = withRecipe(PRESETS["refund-desk"], id);
      const config = { ...preset, updates: 5000, evaluation: { every: EVERY, tasks: 256, trials: 4 } };
      const updates: Update[] = [];
      const success = (event: RunEvent): number => (event.type === "evaluation" && event.subject === "current" ? (event.report.passHatK[0] ?? 0) : 0);
      const enough = (event: RunEvent): boolean => {
        if (event.type === "update") updates.push(event);
        return success(event) >= GOAL || (event.type === "evaluation" && event.subject === "current" && secondsOf(updates) >= SECONDS);
      };
      const events = await trainedEvents(config, { enough, now: cpuClock });
      const held = eventsOf(events, "evaluation").filter(({ subject }) => subject === "current").map((event) => event.report.passHatK[0] ?? 0);
      const last = held.at(-1) ?? 0;
      const spent = secondsOf(updates);
      const extra = meanOf(updates, ({ extraSteps }) => extraSteps);
      const effort = `${updates.length} updates${extra > 0 ? `, ${Math.round(extra)} extra environment steps each` : ""}`;
      if (last >= GOAL && spent <= SECONDS) reached.push(id);
      figures[id] = last >= GOAL && spent <= SECONDS
        ? `reached ${last.toFixed(3)} in ${spent.toFixed(1)} s (${effort})`
        : `not reached: ${last.toFixed(3)}, at best ${Math.max(0, ...held).toFixed(3)}, after ${spent.toFixed(0)} s (${effort}): ${reasonOf(config, updates)}`;
      progress(`${id}: ${figures[id]}`);
    }
    figures["reached"] = `${reached.length} of ${Object.keys(figures).length}: ${reached.join(", ")}`;
    return { passed: MUST.every((id) => reached.includes(id) || !WANTED.includes(id)) && !MUST_NOT.some((id) => reached.includes(id)), figures };
  },
};
