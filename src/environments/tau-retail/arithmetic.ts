import { floatText, PythonError, roundCents } from "./python.ts";

/**
 * Python's arithmetic on the characters that τ-bench's `calculate` lets through: whole numbers are unbounded, `/` gives a float, `//`
 * floors, `**` binds to the right and tighter than a sign on its left.
 */

type Value = bigint | number | "tuple" | "ellipsis" | "complex";
type Thunk = () => Value;

/** In characters: more than any sum a person asks for, few enough for the parser's recursion. */
const MAX_EXPRESSION = 2000;
/** Of parentheses; Python's own. */
const MAX_DEPTH = 199;
/** In bits. Larger whole numbers overflow a float long before; Python would go on until its memory ends. */
const MAX_BITS = 65_536;

const TOKEN = /\d+\.\d*|\.\d+|\d+|\*\*|\/\/|\.\.\.|[-+*/().]/y;

/** `str(round(float(eval(expression)), 2))`. @throws PythonError with Python's message. */
export function evaluate(expression: string): string {
  if (expression.length > MAX_EXPRESSION) throw new PythonError(`expression has ${expression.length} characters; at most ${MAX_EXPRESSION} are computed`);
  const value = new Parser(expression).parse()();
  if (typeof value === "string") throw new PythonError(`float() argument must be a string or a real number, not '${value}'`);
  return floatText(roundCents(toFloat(value)));
}

class Parser {
  readonly #tokens: readonly string[];
  #place = 0;
  #isLookingOn = false;

  constructor(expression: string) {
    this.#tokens = tokenize(expression);
  }

  parse(): Thunk {
    if (this.#tokens.length === 0) throw new PythonError("invalid syntax (<string>, line 0)");
    const result = this.#sum();
    return this.#place === this.#tokens.length ? result : this.#fail();
  }

  #peek(): string | undefined {
    return this.#tokens[this.#place];
  }

  #take(...wanted: readonly string[]): string | undefined {
    const token = this.#peek();
    if (token === undefined || !wanted.includes(token)) return undefined;
    this.#place += 1;
    return token;
  }

  #sum(): Thunk {
    let left = this.#product();
    for (let sign = this.#take("+", "-"); sign !== undefined; sign = this.#take("+", "-")) left = binary(sign, left, this.#product());
    return left;
  }

  #product(): Thunk {
    let left = this.#signed();
    for (let sign = this.#take("*", "/", "//"); sign !== undefined; sign = this.#take("*", "/", "//")) left = binary(sign, left, this.#signed());
    return left;
  }

  #signed(): Thunk {
    const sign = this.#take("+", "-");
    if (sign === undefined) return this.#power();
    const inner = this.#signed();
    return () => signOf(sign, inner());
  }

  #power(): Thunk {
    const base = this.#called();
    return this.#take("**") === undefined ? base : binary("**", base, this.#signed());
  }

  /** `2(3)` is a call, and fails when it is computed. */
  #called(): Thunk {
    let callee = this.#atom();
    while (this.#take("(") !== undefined) {
      const [called, argument] = [callee, this.#peek() === ")" ? undefined : this.#sum()];
      if (this.#take(")") === undefined) this.#fail();
      callee = () => {
        const type = kindOf(called());
        argument?.();
        throw new PythonError(`'${type}' object is not callable`);
      };
    }
    return callee;
  }

  #atom(): Thunk {
    if (this.#take("(") !== undefined) {
      if (this.#take(")") !== undefined) return () => "tuple";
      const inner = this.#sum();
      return this.#take(")") === undefined ? this.#fail() : inner;
    }
    if (this.#take("...") !== undefined) return () => "ellipsis";
    const token = this.#peek() ?? "";
    if (!/\d/.test(token)) return this.#fail();
    this.#place += 1;
    const value = token.includes(".") ? Number(token) : BigInt(token);
    return () => value;
  }

  /** What Python says of a sum that is none; it looks on from there for a bracket that is never closed and for a comma left out. */
  #fail(): never {
    const isOperand = (token: string | undefined): boolean => token !== undefined && /\d|\.\.\./.test(token);
    const before = this.#tokens.slice(0, this.#place);
    if (this.#peek() === undefined && depthOf(before) > 0) throw new PythonError(NEVER_CLOSED);
    const isAfterOperand = isOperand(before.at(-1)) || before.at(-1) === ")";
    const [isStar, isDot] = [before.at(-1) === "(" && /^\*+$/.test(this.#peek() ?? ""), this.#peek() === "." && isAfterOperand];
    if ((isStar || isDot) && !this.#isLookingOn) {
      // To Python `(*` may begin a list to unpack and `1.` an attribute: it reads on before it complains.
      this.#place += 1;
      const reach = isDot ? this.#place : this.#lookOn();
      throw new PythonError(reach === this.#tokens.length && depthOf(this.#tokens) > 0 ? NEVER_CLOSED : INVALID);
    }
    if (isOperand(this.#peek()) && isAfterOperand) {
      const reach = this.#isLookingOn ? this.#place : this.#lookOn();
      if (reach === this.#tokens.length && depthOf(this.#tokens) > 0) throw new PythonError(NEVER_CLOSED);
      if (depthOf(before) > 0) throw new PythonError("invalid syntax. Perhaps you forgot a comma? (<string>, line 1)");
    }
    throw new PythonError(INVALID);
  }

  /** How far the sum that begins here goes, whether or not it is one. */
  #lookOn(): number {
    this.#isLookingOn = true;
    try {
      this.#sum();
    } catch (error) {
      if (!(error instanceof PythonError)) throw error;
    }
    return this.#place;
  }
}

const INVALID = "invalid syntax (<string>, line 1)";
const NEVER_CLOSED = "'(' was never closed (<string>, line 1)";

const depthOf = (tokens: readonly string[]): number =>
  tokens.filter((token) => token === "(").length - tokens.filter((token) => token === ")").length;

/** @throws PythonError for what no tokens can mend: it goes before any other fault. */
function tokenize(expression: string): readonly string[] {
  const tokens: string[] = [];
  let depth = 0;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < expression.length) {
    if (expression[TOKEN.lastIndex] === " ") {
      TOKEN.lastIndex += 1;
      continue;
    }
    const token = TOKEN.exec(expression)?.[0] ?? "";
    if (token === "(") depth += 1;
    if (token === ")") depth -= 1;
    if (depth < 0) throw new PythonError("unmatched ')' (<string>, line 1)");
    if (depth > MAX_DEPTH) throw new PythonError("too many nested parentheses (<string>, line 1)");
    if (/^0+[1-9]\d*$/.test(token)) {
      throw new PythonError("leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers (<string>, line 1)");
    }
    tokens.push(token);
  }
  return tokens;
}

function kindOf(value: Value): string {
  if (typeof value === "bigint") return "int";
  return typeof value === "number" ? "float" : value;
}

function signOf(sign: string, value: Value): Value {
  if (typeof value === "string") throw new PythonError(`bad operand type for unary ${sign}: '${value}'`);
  return sign === "-" ? -value : value;
}

function toFloat(value: bigint | number): number {
  const float = Number(value);
  if (typeof value === "bigint" && !Number.isFinite(float)) throw new PythonError("int too large to convert to float");
  return float;
}

const binary = (sign: string, left: Thunk, right: Thunk): Thunk => () => {
  const [a, b] = [left(), right()];
  if (typeof a === "string" || typeof b === "string") {
    const shown = sign === "**" ? "** or pow()" : sign;
    throw new PythonError(`unsupported operand type(s) for ${shown}: '${kindOf(a)}' and '${kindOf(b)}'`);
  }
  return typeof a === "bigint" && typeof b === "bigint" ? ofIntegers(sign, a, b) : ofFloats(sign, toFloat(a), toFloat(b));
};

function ofIntegers(sign: string, a: bigint, b: bigint): Value {
  switch (sign) {
    case "+":
      return bounded(a + b);
    case "-":
      return bounded(a - b);
    case "*":
      return bounded(a * b);
    case "/":
      if (b === 0n) throw new PythonError("division by zero");
      return quotient(a, b);
    case "//": {
      if (b === 0n) throw new PythonError("integer division or modulo by zero");
      const towardsZero = a / b;
      return a % b !== 0n && a < 0n !== b < 0n ? towardsZero - 1n : towardsZero;
    }
    default:
      if (b < 0n) return ofFloats("**", toFloat(a), toFloat(b));
      if ((a > 1n || a < -1n) && b * BigInt(a.toString(2).length) > MAX_BITS) throw new PythonError("int too large to convert to float");
      return a ** b;
  }
}

function bounded(value: bigint): bigint {
  if (value > MAX_INTEGER || value < -MAX_INTEGER) throw new PythonError("int too large to convert to float");
  return value;
}
const MAX_INTEGER = 1n << BigInt(MAX_BITS);

/** a / b rounded once, also where the two are too large to be floats. */
function quotient(a: bigint, b: bigint): number {
  const [size, by] = [a < 0n ? -a : a, b < 0n ? -b : b];
  const sign = a < 0n === b < 0n ? 1 : -1;
  if (size <= BigInt(Number.MAX_SAFE_INTEGER) && by <= BigInt(Number.MAX_SAFE_INTEGER)) return sign * (Number(size) / Number(by));
  // 66 bits of quotient and one for what is left over: enough for `Number` to round as the exact quotient rounds.
  const shift = BigInt(Math.max(0, by.toString(2).length - size.toString(2).length + 66));
  const scaled = size << shift;
  const rounded = Number((scaled / by << 1n) | (scaled % by === 0n ? 0n : 1n));
  const result = rounded / 2 ** Number(shift + 1n);
  if (!Number.isFinite(result)) throw new PythonError("integer division result too large for a float");
  return sign * result;
}

function ofFloats(sign: string, a: number, b: number): Value {
  switch (sign) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      if (b === 0) throw new PythonError("float division by zero");
      return a / b;
    case "//":
      if (b === 0) throw new PythonError("float floor division by zero");
      return floorQuotient(a, b);
    default: {
      if (a === 0 && b < 0) throw new PythonError("0.0 cannot be raised to a negative power");
      if (a < 0 && Number.isFinite(a) && Number.isFinite(b) && !Number.isInteger(b)) return "complex";
      // Engines may differ in its last bit, which is gone once the result is rounded to hundredths.
      const power = a ** b;
      if (!Number.isFinite(power) && Number.isFinite(a) && Number.isFinite(b)) throw new PythonError("(34, 'Numerical result out of range')");
      return power;
    }
  }
}

/** Python's `//` of floats: through the remainder, so that it is exact where a / b would round up to the next whole number. */
function floorQuotient(a: number, b: number): number {
  const remainder = a % b;
  const whole = (a - remainder) / b - (remainder !== 0 && b < 0 !== remainder < 0 ? 1 : 0);
  if (whole === 0) return a / b < 0 ? -0 : 0;
  const floor = Math.floor(whole);
  return whole - floor > 0.5 ? floor + 1 : floor;
}
