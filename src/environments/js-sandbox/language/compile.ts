import { asWritten, at, compute, detached, PROPERTIES } from "./host-values.ts";
import { NOTHING, Scope, UNSET, type Evaluate, type Execute, type Frame } from "./scope.ts";
import type { Expression, FunctionTree, Statement } from "./syntax.ts";

/** Loop iterations and calls within one call from outside. */
const MOST_STEPS = 1_000;
const DEEPEST = 300;
/** Out of steps. */
export class Endless extends Error {}

/** Steps and depth of one call from outside. */
export interface Meter {
  steps: number;
  depth: number;
}
/** Makes closures of trees. */
export class Compiler {
  readonly #meter: Meter;
  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /** A function of one list of arguments. */
  function({ parameters, body }: FunctionTree, outer: Scope, frame: Frame): (args: readonly unknown[]) => unknown {
    const scope = new Scope(outer);
    const slots = parameters.map((name) => scope.declare(name, false));
    const run = this.#body(body, scope);
    return (args) => {
      this.#step();
      this.#meter.depth += 1;
      if (this.#meter.depth > DEEPEST) throw new RangeError("the stack is used up");
      const own: Frame = { slots: [], parent: frame };
      for (const [index, slot] of slots.entries()) own.slots[slot] = args[index];
      const value = run(own);
      this.#meter.depth -= 1;
      return value === NOTHING ? undefined : value;
    };
  }

  #step(): void {
    this.#meter.steps += 1;
    if (this.#meter.steps > MOST_STEPS) throw new Endless();
  }

  /** Declarations are known in their whole block, and unset until they are reached. */
  #body(body: readonly Statement[], scope: Scope): Execute {
    const slots = new Map<Statement, number>(body.flatMap((statement) => (statement.type === "declare" ? [[statement, scope.declare(statement.name, statement.constant)] as const] : [])));
    const parts = body.map((statement) => this.#statement(statement, scope, slots.get(statement)));
    const unset = [...slots.values()];
    return (frame) => {
      for (const slot of unset) frame.slots[slot] = UNSET;
      for (const part of parts) {
        const value = part(frame);
        if (value !== NOTHING) return value;
      }
      return NOTHING;
    };
  }

  #statement(statement: Statement, scope: Scope, slot?: number): Execute {
    switch (statement.type) {
      case "declare": {
        const value = this.#expression(statement.value, scope);
        return (frame) => {
          frame.slots[slot ?? 0] = value(frame);
          return NOTHING;
        };
      }
      case "expression": {
        const value = this.#expression(statement.expression, scope);
        return (frame) => {
          value(frame);
          return NOTHING;
        };
      }
      case "return": return this.#expression(statement.value, scope);
      case "block": return scope.within(() => this.#body(statement.body, scope));
      case "if": {
        const test = this.#expression(statement.test, scope);
        const yes = this.#statement(statement.yes, scope);
        const no = statement.no === null ? () => NOTHING : this.#statement(statement.no, scope);
        return (frame) => (test(frame) ? yes(frame) : no(frame));
      }
      case "while": return this.#loop(this.#expression(statement.test, scope), this.#statement(statement.body, scope), () => undefined);
      case "for": return this.#counting(statement, scope);
      case "for-of": return this.#iteration(statement, scope);
      default: return statement satisfies never;
    }
  }

  #loop(test: Evaluate, body: Execute, step: Evaluate): Execute {
    return (frame) => {
      while (test(frame)) {
        this.#step();
        const value = body(frame);
        if (value !== NOTHING) return value;
        step(frame);
      }
      return NOTHING;
    };
  }

  #counting({ name, start, test, step, body }: Extract<Statement, { type: "for" }>, scope: Scope): Execute {
    return scope.within(() => {
      const slot = scope.declare(name, false);
      const first = this.#expression(start, scope);
      const loop = this.#loop(this.#expression(test, scope), this.#statement(body, scope), this.#expression(step, scope));
      return (frame) => {
        frame.slots[slot] = UNSET;
        frame.slots[slot] = first(frame);
        return loop(frame);
      };
    });
  }

  #iteration({ name, of, body }: Extract<Statement, { type: "for-of" }>, scope: Scope): Execute {
    return scope.within(() => {
      const slot = scope.declare(name, true);
      const items = this.#expression(of, scope);
      const run = this.#statement(body, scope);
      return (frame) => {
        frame.slots[slot] = UNSET;
        for (const item of items(frame) as Iterable<unknown>) {
          this.#step();
          frame.slots[slot] = item;
          const value = run(frame);
          if (value !== NOTHING) return value;
        }
        return NOTHING;
      };
    });
  }

  #name(name: string, scope: Scope): { readonly read: Evaluate; readonly write: (frame: Frame, value: unknown) => void } {
    let [levels, binding, at] = [0, scope.find(name), scope.parent];
    while (binding === undefined && at !== null) [levels, binding, at] = [levels + 1, at.find(name), at.parent];
    if (binding === undefined) {
      const missing = (): never => {
        throw new ReferenceError(name);
      };
      return { read: missing, write: missing };
    }
    const { slot, constant } = binding;
    const holder = (frame: Frame): Frame => {
      let found = frame;
      for (let level = 0; level < levels; level += 1) found = found.parent ?? found;
      return found;
    };
    const read: Evaluate = (frame) => {
      const value = holder(frame).slots[slot];
      if (value === UNSET) throw new ReferenceError(name);
      return value;
    };
    return {
      read,
      write: (frame, value) => {
        read(frame);
        if (constant) throw new TypeError(`${name} is constant`);
        holder(frame).slots[slot] = value;
      },
    };
  }

  #expression(expression: Expression, scope: Scope): Evaluate {
    switch (expression.type) {
      case "value": return () => expression.value;
      case "name": return this.#name(expression.name, scope).read;
      case "list": {
        const items = expression.items.map((item) => this.#expression(item, scope));
        return (frame) => items.map((item) => item(frame));
      }
      case "record": {
        const entries = expression.entries.map(([key, value]) => [key, this.#expression(value, scope)] as const);
        return (frame) => Object.fromEntries(entries.map(([key, value]) => [key, value(frame)]));
      }
      case "arrow": return this.#arrow(expression, scope);
      case "member": {
        const object = this.#expression(expression.object, scope);
        const { property } = expression;
        if (!PROPERTIES.has(property)) throw new SyntaxError(`there is no property ${property}`);
        return (frame) => {
          const value = (object(frame) as Record<string, unknown>)[property];
          return typeof value === "function" ? detached(property, value) : value;
        };
      }
      case "index": {
        const [object, index] = [this.#expression(expression.object, scope), this.#expression(expression.index, scope)];
        return (frame) => at(object(frame), index(frame));
      }
      case "call": return this.#call(expression, scope);
      case "negate": {
        const operand = this.#expression(expression.operand, scope);
        return (frame) => -(operand(frame) as number);
      }
      case "not": {
        const operand = this.#expression(expression.operand, scope);
        return (frame) => !operand(frame);
      }
      case "choice": {
        const [test, yes, no] = [this.#expression(expression.test, scope), this.#expression(expression.yes, scope), this.#expression(expression.no, scope)];
        return (frame) => (test(frame) ? yes(frame) : no(frame));
      }
      case "binary": return this.#binary(expression, scope);
      case "update": {
        const { read, write } = this.#name(expression.name, scope);
        const change = expression.operator === "++" ? 1 : -1;
        return (frame) => {
          const before = Number(read(frame));
          write(frame, before + change);
          return before;
        };
      }
      case "assign": return this.#assignment(expression, scope);
      default: return expression satisfies never;
    }
  }

  #binary({ operator, left, right }: Extract<Expression, { type: "binary" }>, scope: Scope): Evaluate {
    const [first, second] = [this.#expression(left, scope), this.#expression(right, scope)];
    if (operator === "&&") return (frame) => first(frame) && second(frame);
    if (operator === "||") return (frame) => first(frame) || second(frame);
    return (frame) => {
      const value = first(frame);
      return compute(operator, value as never, second(frame) as never);
    };
  }

  #assignment({ name, operator, value }: Extract<Expression, { type: "assign" }>, scope: Scope): Evaluate {
    const { read, write } = this.#name(name, scope);
    const change = this.#expression(value, scope);
    return (frame) => {
      const result = operator === "=" ? change(frame) : compute(operator, read(frame) as never, change(frame) as never);
      write(frame, result);
      return result;
    };
  }

  #arrow({ parameters, body, tokens }: Extract<Expression, { type: "arrow" }>, scope: Scope): Evaluate {
    const inner = new Scope(scope);
    const slots = parameters.map((name) => inner.declare(name, false));
    const value = this.#expression(body, inner);
    return (frame) => asWritten(tokens, parameters.length, (...args) => {
      this.#step();
      const own: Frame = { slots: [], parent: frame };
      for (const [index, slot] of slots.entries()) own.slots[slot] = args[index];
      return value(own);
    });
  }

  #call({ callee, args }: Extract<Expression, { type: "call" }>, scope: Scope): Evaluate {
    const values = args.map((arg) => this.#expression(arg, scope));
    if (callee.type !== "member") {
      const called = this.#expression(callee, scope);
      return (frame) => {
        const target = called(frame);
        const given = values.map((value) => value(frame));
        return (target as (...args: readonly unknown[]) => unknown)(...given);
      };
    }
    const object = this.#expression(callee.object, scope);
    const { property } = callee;
    if (!PROPERTIES.has(property)) throw new SyntaxError(`there is no property ${property}`);
    return (frame) => {
      const target = object(frame) as Record<string, (...args: readonly unknown[]) => unknown>;
      const method = target[property];
      const given = values.map((value) => value(frame));
      if (typeof method !== "function") throw new TypeError(`${property} is not a function`);
      return method.apply(target, given);
    };
  }
}
