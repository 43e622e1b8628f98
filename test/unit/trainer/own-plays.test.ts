import { expect, test } from "vitest";
import { RECIPES } from "#algorithms/recipes.ts";
import type { Task } from "#core/environment.ts";
import { ConfigError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import { FREE_STATE } from "#core/tokens.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";
import { demonstrate } from "#harness/demonstrate.ts";
import { OWN_SHARE } from "#run/own-share.ts";
import { parseRunConfig, PRESETS, type RunConfig } from "#run/run-config.ts";
import { withRecipe } from "#run/recipe.ts";
import { withArena, type Arena } from "#trainer/arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { demonstrations, refuseUnplayable } from "#trainer/pretrain.ts";
import { train } from "#trainer/train.ts";
import { checkpointFor } from "../../../src/cli/host.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";

const gate = (): Promise<void> => Promise.resolve();
/** Round the room first, where one push would do: nobody else plays so. */
const DETOUR = "6#|#@$.-#|#----#|#---##|#----#|6#:dddrruulluR";

const playing = (plays: string, change: Partial<RunConfig> = {}): RunConfig => {
  const { environment } = PRESETS.sokoban;
  return { ...PRESETS.sokoban, ...change, environment: { ...environment, plays } as RunConfig["environment"] };
};

test("configurations of the time before there were plays have none", () => {
  const { plays: _, ...before } = playing("").environment as unknown as Record<string, unknown>;
  expect(parseRunConfig({ ...PRESETS.sokoban, environment: before })).toEqual(PRESETS.sokoban);
  expect(() => parseRunConfig(playing("<script>"))).toThrow(/environment\.plays is "<script>"; allowed: levels and moves, such as/);
  expect(() => parseRunConfig(playing("#".repeat(6001)))).toThrow(ConfigError);
});

test("a play that is too long, or no play, is refused before the run with its number", async () => {
  const refused = (config: RunConfig, message: RegExp): Promise<void> => expect(withArena(config, (arena) => refuseUnplayable(arena))).rejects.toThrow(message);
  await refused(playing(`${DETOUR};${DETOUR}`, { harness: { ...PRESETS.sokoban.harness, turns: 5 } }), /^play 1 of environment\.plays has 11 moves; allowed are at most harness\.turns, which is 5/);
  await refused(playing(`${DETOUR};5#|#@$.#|5#:L`), /^environment\.plays: play 2 of plays is refused/);
  await expect(withArena(playing(DETOUR), (arena) => refuseUnplayable(arena))).resolves.toBeUndefined();
  // A long row, each cell of which is its own token.
  const long = `33#|#@$.${"-".repeat(28)}#|33#:R`;
  await refused(playing(long, { harness: { ...PRESETS.sokoban.harness, grid: "cells" } as RunConfig["harness"] }), /^play 1 of environment\.plays is cut off after 0 of 1 moves: its board takes more than policy\.context, which is 32/);
});

test("a quarter of the demonstrations are a person's, and none without plays; the others stay what they were", async () => {
  const settings = { demonstrations: 400, variedShare: 0 };
  const [mine, none] = await Promise.all([DETOUR, ""].map((plays) => withArena(playing(plays), async (arena) => {
    const own = await played(arena, 0);
    return { own, sequences: await demonstrations(arena, settings, createRng(2)) };
  })));
  const start = mine!.own!.join(" ");
  const starts = (sequences: readonly { readonly tokens: Uint32Array }[]): number => sequences.filter(({ tokens }) => Array.from(tokens).join(" ").startsWith(start)).length;
  // Each play is one sequence a move; the first of them is counted.
  expect(starts(mine!.sequences) / settings.demonstrations).toBeGreaterThan(OWN_SHARE - 0.06);
  expect(starts(mine!.sequences) / settings.demonstrations).toBeLessThan(OWN_SHARE + 0.06);
  expect(starts(none!.sequences)).toBe(0);
});

/** Tokens of the first turn of the first play; null where there is none. */
async function played<T extends Task, S>(arena: Arena<T, S>, turn: number): Promise<readonly number[] | null> {
  const [play] = arena.plays();
  if (play === undefined) return null;
  let at = 0;
  const { trajectory } = await demonstrate({ ...arena.spec(play.task, "g", createRng(1), 0), constrained: false }, () => play.actions[at++]!);
  return Array.from(trajectory.sequences[turn]!.tokens);
}

test("imitation learns the play: its moves become likelier than without it", async () => {
  const executor = await wasmExecutor("simd128");
  const checkpoint = await checkpointFor("base", "sokoban");
  const imitating = (plays: string): RunConfig => ({ ...withRecipe(playing(plays), "sft-only"), updates: 6, evaluation: { every: 100, tasks: 2, trials: 1 } });
  expect(RECIPES["sft-only"].settings.objective?.id).toBe("sft");
  const likelihoods = async (plays: string): Promise<readonly number[]> => withArena(imitating(plays), async (arena) => {
    const policy = openPolicy(executor, imitating(plays), arena, checkpoint);
    const before = await likelihood(policy);
    for await (const event of train(imitating(plays), { arena, policy, now: () => 0, gate })) if (event.type === "update" && event.update === 6) break;
    return [before, await likelihood(policy)];
  });
  const [[start, without], [, after]] = [await likelihoods(""), await likelihoods(DETOUR)];
  expect(after! - start!).toBeGreaterThan(1);
  expect(after! - without!).toBeGreaterThan(1);
}, 120_000);

/** Nats of all moves of the play together. */
async function likelihood(policy: EnginePolicy): Promise<number> {
  return withArena(playing(DETOUR), async (arena) => {
    const { vocabulary } = arena.harness;
    const [play] = arena.plays();
    let at = 0;
    const { trajectory } = await demonstrate({ ...arena.spec(play!.task, "g", createRng(1), 0), constrained: false }, () => play!.actions[at++]!);
    const rows = trajectory.turns.map(({ sequence, start }) => ({ tokens: trajectory.sequences[sequence]!.tokens, start }));
    const logprobs = await policy.nextLogprobs(rows.map(({ tokens, start }, slot) => ({ tokens: tokens.slice(0, start), automatonState: FREE_STATE, slot, rng: createRng(1) })));
    return rows.reduce((sum, { tokens, start }, row) => sum + logprobs[row * vocabulary.words.length + tokens[start]!]!, 0);
  });
}
