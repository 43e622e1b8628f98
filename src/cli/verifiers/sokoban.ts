import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { parseArgs } from "node:util";
import * as v from "valibot";
import { TaskError } from "#core/errors.ts";
import type { Json } from "#core/trajectory.ts";
import { quoted, readUntrustedJson } from "#core/untrusted-json.ts";
import type { Level } from "#environments/sokoban/board.ts";
import { readCollection } from "#environments/sokoban/collection.ts";
import { readLevel } from "#environments/sokoban/level-reader.ts";
import { readMoves, replay } from "#environments/sokoban/solution.ts";
import { solve } from "#environments/sokoban/solver.ts";
import { wholeNumber } from "../options.ts";
import { UsageError } from "../usage-error.ts";
import type { Verifier } from "./registry.ts";
import { report, type CaseResult } from "./report.ts";

const MOST_BYTES = 64_000_000;
/** Distinct states of a search, unless `--states` says otherwise: a second or less for most levels. */
const STATES = 50_000;

/** A level of a file with the solutions that are claimed for it. */
interface Case {
  readonly id: string;
  readonly level: Level | undefined;
  readonly refused: string | undefined;
  readonly solutions: readonly string[];
  /** What the file says of its solutions. */
  readonly moves?: number | undefined;
  readonly pushes?: number | undefined;
}

const rowSchema = v.object({
  id: v.union([v.string(), v.number()]),
  level: v.union([v.string(), v.array(v.string())]),
  solution_lurd: v.optional(v.string()),
  solution_rle: v.optional(v.string()),
  moves: v.optional(v.number()),
  pushes: v.optional(v.number()),
});

async function read(path: string): Promise<string> {
  const reason = (error: unknown): UsageError => new UsageError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  const { size } = await stat(path).catch((error: unknown) => { throw reason(error); });
  if (size > MOST_BYTES) throw new UsageError(`${path} has ${size} bytes; at most ${MOST_BYTES} are read`);
  return readFile(path, "utf8").catch((error: unknown) => { throw reason(error); });
}

const levelOr = (rows: readonly string[]): Pick<Case, "level" | "refused"> => {
  try {
    return { level: readLevel(rows), refused: undefined };
  } catch (error) {
    if (error instanceof TaskError) return { level: undefined, refused: error.message };
    throw error;
  }
};

/** @throws UsageError with the line for what is no case at all. */
function caseOfLine(text: string, name: string): Case {
  const parsed = v.safeParse(rowSchema, readUntrustedJson(text, { name, maxLength: 1_000_000 }));
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new UsageError(`${name}: ${v.getDotPath(issue) ?? "the line"}: ${issue.message}; a case is {"id", "level", "solution_lurd" or "solution_rle"}`);
  }
  const { id, level, solution_lurd: lurd, solution_rle: rle, moves, pushes } = parsed.output;
  if (lurd === undefined && rle === undefined) throw new UsageError(`${name}: neither "solution_lurd" nor "solution_rle" is there`);
  const rows = typeof level === "string" ? level.split("\n") : level;
  return { id: String(id), ...levelOr(rows), solutions: [lurd, rle].filter((solution) => solution !== undefined), moves, pushes };
}

const casesOfLines = (text: string, path: string): readonly Case[] =>
  text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [caseOfLine(line, `${path}, line ${index + 1}`)]));

async function casesOf(path: string): Promise<readonly Case[]> {
  if (path.endsWith(".sol")) {
    const levels = `${path.slice(0, -".sol".length)}.sok`;
    if (!existsSync(levels)) throw new UsageError(`${path} is a solution without its level: there is no ${levels}`);
    return casesOf(levels);
  }
  const text = await read(path);
  if (/^\uFEFF?\s*\{/.test(text)) return casesOfLines(text, path);
  const beside = path.endsWith(".sok") ? `${path.slice(0, -".sok".length)}.sol` : undefined;
  const pair = beside !== undefined && existsSync(beside) ? await read(beside) : undefined;
  const entries = readCollection(text);
  if (pair !== undefined && entries.length !== 1) throw new UsageError(`${path} holds ${entries.length} levels, so ${beside} cannot tell which of them it solves`);
  return entries.map(({ title, level, refused, solutions }) => ({
    id: title, level, refused, solutions: [...solutions.map((solution) => solution.text), ...(pair === undefined ? [] : [pair])],
  }));
}

/** What is wrong with a solution, or how long it is. */
function judged(level: Level, solution: string): { readonly fault: string; readonly move: number | null } | { readonly fault: undefined; readonly moves: number; readonly pushes: number } {
  try {
    const replayed = replay(level, readMoves(solution));
    return replayed.solved ? { fault: undefined, moves: replayed.moves, pushes: replayed.pushes } : { fault: replayed.reason, move: replayed.move };
  } catch (error) {
    if (error instanceof TaskError) return { fault: error.message, move: null };
    throw error;
  }
}

function check({ id, level, refused, solutions, moves, pushes }: Case, mostStates: number): CaseResult {
  const fail = (reason: string, fields: Readonly<Record<string, Json>> = {}): CaseResult => ({ id, passed: false, fields: { reason, ...fields }, text: reason });
  if (level === undefined) return fail(`the level is refused: ${refused}`);
  const results = solutions.map((solution) => judged(level, solution));
  const wrong = results.find(({ fault }) => fault !== undefined);
  if (wrong?.fault !== undefined) return fail(`the solution is refused: ${wrong.fault}`, { move: wrong.move });
  const right = results.flatMap((result) => (result.fault === undefined ? [result] : []));
  const differs = right.find((result) => (moves !== undefined && result.moves !== moves) || (pushes !== undefined && result.pushes !== pushes));
  if (differs) return fail(`the solution has ${differs.moves} moves and ${differs.pushes} pushes; the file says ${moves ?? "nothing"} and ${pushes ?? "nothing"}`);

  const search = solve(level, mostStates);
  const [first] = right;
  const optimalPushes = search.kind === "solved" ? search.pushes : null;
  const fields = { moves: first?.moves ?? null, pushes: first?.pushes ?? null, optimalPushes, search: search.kind, states: search.states };
  // A published solution that works is stronger than our search: a contradiction is a fault of ours and must be seen.
  if (search.kind === "unsolvable") return fail(first === undefined ? "the level cannot be solved: the search looked at all there is" : "the search found no solution although one was given", fields);
  if (first !== undefined && optimalPushes !== null && optimalPushes > Math.min(...right.map((result) => result.pushes))) return fail(`the search's ${optimalPushes} pushes are more than the solution's`, fields);
  const found = optimalPushes === null ? `optimum unknown after ${search.states} states` : `optimum ${optimalPushes} pushes`;
  return { id, passed: true, fields, text: first === undefined ? `no solution given, ${found}` : `${first.moves} moves, ${first.pushes} pushes, ${found}` };
}

export const sokoban: Verifier = {
  async run(argv) {
    const { values, positionals } = parseArgs({
      args: [...argv], allowPositionals: true, options: { json: { type: "boolean", default: false }, states: { type: "string", default: String(STATES) } },
    });
    if (positionals.length === 0) throw new UsageError("verify sokoban takes a file: JSON lines, .sok (with its .sol beside it) or Boxoban text");
    const mostStates = wholeNumber("states", values.states, 1, 5_000_000);
    const cases: Case[] = [];
    for (const path of positionals) {
      try {
        cases.push(...await casesOf(path));
      } catch (error) {
        throw error instanceof TaskError ? new UsageError(error.message.includes(path) ? error.message : `${quoted(path)}: ${error.message}`) : error;
      }
    }
    const results = function* (): Generator<CaseResult> {
      for (const one of cases) yield check(one, mostStates);
    };
    return report(results(), values.json);
  },
};
