import { printed } from "./tokens.ts";

/** Everything a program may name after a dot. */
export const PROPERTIES: ReadonlySet<string> = new Set([
  "length", "push", "unshift", "map", "filter", "some", "every", "includes", "indexOf", "lastIndexOf", "slice", "concat", "startsWith", "endsWith",
  "toUpperCase", "max", "min", "abs", "floor", "price", "count", "age", "member", "low", "high",
]);
/** A binary operator of the language, or the one within an assignment, with the host's own semantics. */
export const compute = (operator: string, left: never, right: never): unknown => {
  switch (operator) {
    case "+": case "+=": return left + right;
    case "-": case "-=": return left - right;
    case "*": case "*=": return left * right;
    case "/": return left / right;
    case "%": return left % right;
    case "<": return left < right;
    case ">": return left > right;
    case "<=": return left <= right;
    case ">=": return left >= right;
    case "===": return left === right;
    case "!==": return left !== right;
    default: throw new SyntaxError(`there is no operator ${operator}`);
  }
};

/** An element, where the index is one; whatever else a value could be asked for by a computed name is not of the language. */
export function at(object: unknown, index: unknown): unknown {
  const held = object as Record<string, unknown>;
  if (typeof index === "number") return held[String(index)];
  const name = String(index as string);
  return /^-?\d+$/.test(name) || PROPERTIES.has(name) || object === null || object === undefined ? held[name] : undefined;
}

/** A function that shows itself as what was written: a wrong name may ask for its length or its text. */
export function asWritten(tokens: readonly string[], length: number, body: (...args: readonly unknown[]) => unknown): (...args: readonly unknown[]) => unknown {
  Object.defineProperty(body, "length", { value: length });
  Object.defineProperty(body, "toString", { value: () => printed(tokens) });
  return body;
}

/** A method that was read and not called: it shows itself as the engine's does, and has lost its object. */
export function detached(name: string, method: Function): (...args: readonly unknown[]) => unknown {
  const lost = (...args: readonly unknown[]): unknown => method.apply(undefined, args);
  Object.defineProperty(lost, "length", { value: method.length });
  Object.defineProperty(lost, "toString", { value: () => `function ${name}() {\n    [native code]\n}` });
  return lost;
}
