import type { Expression, FunctionTree, Statement } from "./syntax.ts";

/** From the loosest to the tightest. */
const LEVELS: readonly (readonly string[])[] = [["||"], ["&&"], ["===", "!=="], ["<", ">", "<=", ">="], ["+", "-"], ["*", "/", "%"]];
const ASSIGNMENTS: readonly string[] = ["=", "+=", "-=", "*="];

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;
  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  program(): FunctionTree {
    this.#expect("function");
    this.#next();
    const parameters = this.#names();
    const body = this.#block();
    if (this.#at !== this.#tokens.length) throw new SyntaxError(`unexpected ${this.#peek()}`);
    return { parameters, body };
  }

  #peek(ahead = 0): string {
    return this.#tokens[this.#at + ahead] ?? "the end";
  }
  #next(): string {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }
  #take(token: string): boolean {
    if (this.#peek() !== token) return false;
    this.#at += 1;
    return true;
  }
  #expect(token: string): void {
    if (!this.#take(token)) throw new SyntaxError(`expected ${token}, got ${this.#peek()}`);
  }

  #names(): readonly string[] {
    this.#expect("(");
    const names: string[] = [];
    while (!this.#take(")")) {
      names.push(this.#next());
      this.#take(",");
    }
    return names;
  }

  #block(): readonly Statement[] {
    this.#expect("{");
    const body: Statement[] = [];
    while (!this.#take("}")) body.push(this.#statement());
    return body;
  }

  #statement(): Statement {
    const token = this.#peek();
    switch (token) {
      case "{": return { type: "block", body: this.#block() };
      case "let":
      case "const": return this.#declaration(token === "const");
      case "return": {
        this.#next();
        const value = this.#expression();
        this.#expect(";");
        return { type: "return", value };
      }
      case "if": {
        const test = this.#condition();
        const yes = this.#statement();
        return { type: "if", test, yes, no: this.#take("else") ? this.#statement() : null };
      }
      case "while": return { type: "while", test: this.#condition(), body: this.#statement() };
      case "for": return this.#loop();
      default: {
        const expression = this.#expression();
        this.#expect(";");
        return { type: "expression", expression };
      }
    }
  }

  #declaration(constant: boolean): Extract<Statement, { type: "declare" }> {
    this.#next();
    const name = this.#next();
    this.#expect("=");
    const value = this.#expression();
    this.#expect(";");
    return { type: "declare", name, constant, value };
  }

  #condition(): Expression {
    this.#next();
    this.#expect("(");
    const test = this.#expression();
    this.#expect(")");
    return test;
  }

  #loop(): Statement {
    this.#next();
    this.#expect("(");
    if (this.#peek(2) === "of") {
      this.#next();
      const name = this.#next();
      this.#next();
      const of = this.#expression();
      this.#expect(")");
      return { type: "for-of", name, of, body: this.#statement() };
    }
    const { name, value: start } = this.#declaration(false);
    const test = this.#expression();
    this.#expect(";");
    const step = this.#expression();
    this.#expect(")");
    return { type: "for", name, start, test, step, body: this.#statement() };
  }

  #expression(): Expression {
    if (this.#startsArrow()) return this.#arrow();
    const left = this.#choice();
    const operator = this.#peek();
    if (!ASSIGNMENTS.includes(operator)) return left;
    if (left.type !== "name") throw new SyntaxError("only a name can be assigned to");
    this.#next();
    return { type: "assign", name: left.name, operator, value: this.#expression() };
  }

  #startsArrow(): boolean {
    if (this.#peek(1) === "=>") return true;
    if (this.#peek() !== "(") return false;
    const close = this.#tokens.indexOf(")", this.#at);
    return this.#tokens[close + 1] === "=>";
  }

  #arrow(): Expression {
    const from = this.#at;
    const parameters = this.#peek() === "(" ? this.#names() : [this.#next()];
    this.#expect("=>");
    const body = this.#expression();
    return { type: "arrow", parameters, body, tokens: this.#tokens.slice(from, this.#at) };
  }

  #choice(): Expression {
    const test = this.#binary(0);
    if (!this.#take("?")) return test;
    const yes = this.#expression();
    this.#expect(":");
    return { type: "choice", test, yes, no: this.#expression() };
  }

  #binary(level: number): Expression {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    while (operators.includes(this.#peek())) left = { type: "binary", operator: this.#next(), left, right: this.#binary(level + 1) };
    return left;
  }

  #unary(): Expression {
    if (this.#take("-")) return { type: "negate", operand: this.#unary() };
    if (this.#take("!")) return { type: "not", operand: this.#unary() };
    const operand = this.#postfix();
    const operator = this.#peek();
    if (operator !== "++" && operator !== "--") return operand;
    if (operand.type !== "name") throw new SyntaxError("only a name can be counted up");
    this.#next();
    return { type: "update", name: operand.name, operator };
  }

  #postfix(): Expression {
    let value = this.#primary();
    for (;;) {
      if (this.#take(".")) value = { type: "member", object: value, property: this.#next() };
      else if (this.#take("[")) {
        value = { type: "index", object: value, index: this.#expression() };
        this.#expect("]");
      } else if (this.#take("(")) value = { type: "call", callee: value, args: this.#list(")") };
      else return value;
    }
  }

  #list(end: string): readonly Expression[] {
    const items: Expression[] = [];
    while (!this.#take(end)) {
      items.push(this.#expression());
      if (this.#peek() !== end) this.#expect(",");
    }
    return items;
  }

  #primary(): Expression {
    const token = this.#next();
    if (token === "(") {
      const inner = this.#expression();
      this.#expect(")");
      return inner;
    }
    if (token === "[") return { type: "list", items: this.#list("]") };
    if (token === "{") return this.#record();
    if (token === "true" || token === "false") return { type: "value", value: token === "true" };
    if (/^\d/.test(token)) return { type: "value", value: Number(token) };
    if (token.startsWith('"')) return { type: "value", value: token.slice(1, -1) };
    if (/^[A-Za-z_]/.test(token)) return { type: "name", name: token };
    throw new SyntaxError(`unexpected ${token}`);
  }

  #record(): Expression {
    const entries: (readonly [string, Expression])[] = [];
    while (!this.#take("}")) {
      const key = this.#next();
      this.#expect(":");
      entries.push([key, this.#expression()]);
      if (this.#peek() !== "}") this.#expect(",");
    }
    return { type: "record", entries };
  }
}

/** The one function of a program. @throws SyntaxError for tokens that are none. */
export const parse = (tokens: readonly string[]): FunctionTree => new Parser(tokens).program();
