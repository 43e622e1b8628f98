import { canonical } from "#core/json.ts";
import { createRng } from "#core/rng.ts";
import type { Json } from "#core/trajectory.ts";
import { SOURCES } from "./functions.data.ts";
import { drawInputs } from "./inputs.ts";
import { program, type Result } from "./language/interpret.ts";
import { parse } from "./language/parse.ts";
import { tokenise } from "./language/tokens.ts";
import { copied, encoded } from "./language/values.ts";
import { apply, mutationsOf, type Mutation } from "./mutations.ts";

/** A call and what it should give, both as JSON and the sandbox's encoding of what JSON cannot say. */
export interface Test {
  readonly input: readonly Json[];
  readonly want: Json;
}

export interface Subject {
  /** Its place in the catalogue, such as "fold/2". */
  readonly id: string;
  readonly shape: string;
  /** Whether it is never seen in training. */
  readonly unseen: boolean;
  readonly parameters: readonly string[];
  readonly tokens: readonly string[];
  /** The same few for everybody: the function's test file. */
  readonly visible: readonly Test[];
  /** Single-token mistakes that tests can tell from the function. */
  readonly mutations: readonly Mutation[];
}

const VISIBLE = 2;
/** Inputs that a mutation must not survive all of; the first of them are those that visible tests are chosen from. */
const PROBES = 24;
const CANDIDATES = 8;

/** Text by which results are told apart. */
const resultText = (result: Result | undefined): string => {
  if (result?.type !== "value") return result?.type ?? "endless";
  const value = encoded(result.value);
  return value === undefined ? "error" : canonical(value);
};

/** Calls a program in turn, as one run of the engine would: it stops at a call that does not end. */
export function runAll(tokens: readonly string[], inputs: readonly (readonly Json[])[]): readonly Result[] {
  const call = program(tokens);
  const results: Result[] = [];
  for (const input of inputs) {
    const result = call(copied(input));
    results.push(result);
    if (result.type === "endless") break;
  }
  return results;
}

/** What the function gives. @throws RangeError when it gives nothing: every function is total on its inputs. */
export function expectations({ id, tokens }: Pick<Subject, "id" | "tokens">, inputs: readonly (readonly Json[])[]): readonly Test[] {
  const results = runAll(tokens, inputs);
  return inputs.map((input, index) => {
    const result = results[index];
    const want = result?.type === "value" ? encoded(result.value) : undefined;
    if (want === undefined) throw new RangeError(`${id} gives nothing for ${JSON.stringify(input)}`);
    return { input, want };
  });
}

/** [tests] whether each catches a program, asked for one by one. */
const catches = (tokens: readonly string[], tests: readonly Test[]): readonly (() => boolean)[] => {
  const call = program(tokens);
  return tests.map(({ input, want }) => () => resultText(call(copied(input))) !== canonical(want));
};

/** Whether a program differs from what tests want. */
export const isKilled = (tokens: readonly string[], tests: readonly Test[]): boolean => catches(tokens, tests).some((caught) => caught());

/** Few tests that catch most mistakes: each catches the most of those that are left. */
function chooseVisible(tests: readonly Test[], mutants: readonly (readonly string[])[]): readonly Test[] {
  let left = mutants.map((tokens) => catches(tokens, tests).map((caught) => caught()));
  const chosen: number[] = [];
  while (chosen.length < VISIBLE) {
    const counts = tests.map((_, index) => (chosen.includes(index) ? -1 : left.filter((row) => row[index]).length));
    const best = counts.indexOf(Math.max(...counts));
    chosen.push(best);
    left = left.filter((row) => row[best] !== true);
  }
  return chosen.map((index) => tests[index]).filter((test) => test !== undefined);
}

/** A function by its place; its mistakes and tests are worked out when first asked for. */
export interface Place {
  readonly id: string;
  readonly unseen: boolean;
  readonly subject: () => Subject;
}

function createSubject(shape: string, id: string, unseen: boolean, source: string): Subject {
  const tokens = tokenise(`function f${source}`);
  const { parameters } = parse(tokens);
  const tests = expectations({ id, tokens }, drawInputs(createRng(0).fork(`probes/${id}`), parameters, PROBES));
  const mutations = mutationsOf(tokens).filter((mutation) => isKilled(apply(tokens, mutation), tests));
  const visible = chooseVisible(tests.slice(0, CANDIDATES), mutations.map((mutation) => apply(tokens, mutation)));
  return { id, shape, unseen, parameters, tokens, visible, mutations };
}

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};

export const PLACES: readonly Place[] = Object.entries(SOURCES).flatMap(([shape, sources]) => sources.map((source, index) => {
  const [id, unseen] = [`${shape}/${index}`, index === sources.length - 1];
  return { id, unseen, subject: once(() => createSubject(shape, id, unseen, source)) };
}));

/** All of them: takes some tenths of a second the first time. */
export const subjects = (): readonly Subject[] => PLACES.map(({ subject }) => subject());
