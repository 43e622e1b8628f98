import { Compiler, Endless, type Meter } from "./compile.ts";
import { asWritten } from "./host-values.ts";
import { parse } from "./parse.ts";
import { Scope, type Frame } from "./scope.ts";

/**
 * The language without the engine: what a program gives, at once. It serves where no promise can be awaited (which mutations are worth
 * keeping, what may be behind the results seen), and says what tests expect; a test holds it to the engine on every program that edits
 * can make. Values and their methods are the host's own, reached through the names below only.
 */
export type Result =
  | { readonly type: "value"; readonly value: unknown }
  /** Anything thrown, running out of stack included. */
  | { readonly type: "error" }
  /** Out of steps. */
  | { readonly type: "endless" };

const MATH = 0;
const SELF = 1;

/** @throws SyntaxError for tokens that are no program. */
function compile(tokens: readonly string[], meter: Meter): (args: readonly unknown[]) => unknown {
  const globals = new Scope(null);
  const frame: Frame = { slots: [], parent: null };
  globals.declare("Math", false);
  globals.declare("f", false);
  const tree = parse(tokens);
  const call = new Compiler(meter).function(tree, globals, frame);
  frame.slots[MATH] = Math;
  frame.slots[SELF] = asWritten(tokens, tree.parameters.length, (...args) => call(args));
  return call;
}

/** Whether the engine would read the program at all. */
export function compiles(tokens: readonly string[]): boolean {
  try {
    compile(tokens, { steps: 0, depth: 0 });
    return true;
  } catch {
    return false;
  }
}

/** A program's function, called from outside in one realm; arguments are its own to change. What cannot be read gives errors only. */
export function program(tokens: readonly string[]): (args: readonly unknown[]) => Result {
  const meter: Meter = { steps: 0, depth: 0 };
  let call: (args: readonly unknown[]) => unknown;
  try {
    call = compile(tokens, meter);
  } catch {
    return () => ({ type: "error" });
  }
  return (args) => {
    [meter.steps, meter.depth] = [0, 0];
    try {
      return { type: "value", value: call(args) };
    } catch (error) {
      return { type: error instanceof Endless ? "endless" : "error" };
    }
  };
}
