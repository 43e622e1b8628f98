import { describe, expect, test } from "vitest";
import { callF, freshRunner, STEPS, valueOf, worksStill } from "./support.ts";

/** One engine for all of them, in this order: none may leave anything behind. */
const runner = freshRunner();
const run = (source: string, steps = STEPS) => runner.run(source, callF(), steps);
const F = "function f() { return 1; }";

describe("what never ends is stopped, whatever it returns", () => {
  test.each([
    ["a loop", "while (1);"],
    ["a loop in a function", "function f() { for (;;); }"],
    ["a loop that catches everything", "for (;;) { try { for (;;); } catch { } }"],
    ["a loop in a promise's executor, with an answer after it", `new Promise(() => { for (;;); }); ${F}`],
    ["a loop in an async function", `(async () => { for (;;); })(); ${F}`],
    ["a loop in a promise job", `Promise.resolve().then(() => { for (;;); }); ${F}`],
    ["a loop in a finaliser of a promise", `Promise.reject(1).finally(() => { for (;;); }); ${F}`],
    ["an async function that always waits", `(async () => { for (;;) await 0; })(); ${F}`],
    ["jobs that make jobs", `function go() { Promise.resolve().then(go); } go(); ${F}`],
    ["jobs that make two jobs", `function go() { Promise.resolve().then(go); Promise.resolve().then(go); } go(); ${F}`],
    ["a regular expression that goes back and forth", "/^(a+)+$/.test('a'.repeat(40) + 'b')"],
    ["a generator", "function* g() { for (;;) yield 1; } for (const x of g());"],
    ["a getter", "JSON.stringify({ get a() { for (;;); } });"],
  ])("%s", async (_name, source) => {
    expect((await run(source)).ending).toBe("interrupted");
    expect(await worksStill(runner)).toBe(true);
  });

  test("at the same instruction every time", async () => {
    const most = async (engine: typeof runner): Promise<number> => {
      let [passes, stops] = [0, 200_000];
      while (stops - passes > 1) {
        const middle = Math.floor((passes + stops) / 2);
        const { ending } = await engine.run(`for (let i = 0; i < ${middle}; i += 1);`, [], 100_000);
        if (ending === "ok") passes = middle;
        else stops = middle;
      }
      return passes;
    };
    const first = await most(runner);
    // An iteration is two steps: a jump, and another.
    expect(first).toBeGreaterThan(45_000);
    expect(first).toBeLessThanOrEqual(50_000);
    expect([await most(runner), await most(freshRunner())]).toEqual([first, first]);
  });
});

describe("stack and memory run out, and the next run knows nothing of it", () => {
  test.each([
    ["recursion", "function f() { return f() + 1; }"],
    ["recursion through a method", "function f() { return [1].map(f); }"],
    ["recursion through toString", "const o = { toString() { return '' + o; } }; '' + o;"],
    ["brackets in eval", "eval('('.repeat(20000) + ')'.repeat(20000))"],
    ["arrows", "x=>".repeat(10_000) + "1"],
    ["new", "new ".repeat(10_000) + "Object"],
  ])("stack: %s", async (_name, source) => {
    expect((await run(source)).ending).toBe("stack");
    expect(await worksStill(runner)).toBe(true);
  });

  test("a guest that catches its stack overflow goes on, as in any engine", async () => {
    expect(await valueOf(runner, "function f() { try { return f(); } catch { return 'caught'; } }")).toBe("caught");
  });

  test.each([
    ["many small objects", "const a = []; for (;;) a.push({});"],
    ["arrays of ten thousand", "const a = []; for (;;) a.push(new Array(10000).fill(1));"],
    ["one string", "'x'.repeat(1 << 29)"],
    ["buffers", "const a = []; for (;;) a.push(new Uint8Array(100000));"],
    ["caught", `const a = []; try { for (;;) a.push(new Array(10000).fill(1)); } catch { } ${F}`],
    ["in a promise job", `Promise.resolve().then(() => { const a = []; for (;;) a.push(new Array(1000).fill(1)); }); ${F}`],
    ["live arrays held by a global", "globalThis.left = []; for (;;) left.push([1, 2, 3]);"],
  ])("memory: %s", async (_name, source) => {
    expect((await run(source, 100_000_000)).ending).toBe("memory");
    expect(await worksStill(runner)).toBe(true);
  });

  test("thirty out-of-memory runs within promise jobs in a row", async () => {
    const source = "Promise.resolve().then(() => { const a = []; for (;;) a.push(new Array(10000).fill({})); });";
    for (let index = 0; index < 30; index += 1) expect((await run(source, 100_000_000)).ending).toBe("memory");
    expect(await worksStill(runner)).toBe(true);
  }, 60_000);

  test("fifteen megabytes can be used, sixteen and a half cannot", async () => {
    const filling = (megabytes: number) => run(`const a = new Uint8Array(${megabytes} * 1024 * 1024).fill(1); function f() { return a.length; }`);
    expect((await filling(15)).ending).toBe("ok");
    expect((await filling(16.5)).ending).toBe("memory");
  });
});

describe("what is refused before it is read", () => {
  test.each([
    ["too long", "1;".repeat(40_000), "80000 characters"],
    ["too many brackets", "[".repeat(257) + "]".repeat(257), "nested deeper than 256"],
    ["too many signs", "!".repeat(257) + "1", "nested deeper than 256"],
  ])("%s", async (_name, source, message) => {
    const result = await run(source);
    expect(result).toMatchObject({ ending: "refused", answers: [] });
    expect(result.message).toContain(message);
  });

  test("what is just allowed runs", async () => {
    expect((await run("[".repeat(256) + "]".repeat(256))).ending).toBe("ok");
    expect((await run("!".repeat(256) + "1")).ending).toBe("ok");
  });

  test("a name that is none", async () => {
    expect(await runner.run(F, [{ name: "f(), 7", args: [] }], STEPS)).toMatchObject({ ending: "refused", answers: [] });
  });
});

describe("what comes over the bridge", () => {
  test("a string of a megabyte and an array of ten thousand, both ways", async () => {
    const text = "x".repeat(1 << 20);
    expect(await valueOf(runner, "function f(s) { return s; }", text)).toBe(text);
    const numbers = Array.from({ length: 10_000 }, (_, index) => index);
    expect(await valueOf(runner, "function f(a) { return a.map(x => x + 1); }", numbers)).toEqual(numbers.map((number) => number + 1));
  });

  test("an answer that is too large, or too deep, is an error of the call", async () => {
    const { ending, answers } = await run("function f() { return new Array(300000).fill('0123456789abcdef'); }", 100 * STEPS);
    expect([ending, answers]).toEqual(["ok", [{ kind: "threw", error: "Error: the answer is too large" }]]);
    expect((await run("function f() { const a = []; a.push(a, a); return a; }")).answers).toEqual([{ kind: "threw", error: "Error: the answer is nested too deeply" }]);
  });

  test.each([
    ["undefined", { $: "undefined" }], ["-0", { $: "-0" }], ["NaN", { $: "NaN" }], ["-1 / 0", { $: "-Infinity" }], ["[, 1]", [{ $: "hole" }, 1]],
    ["12n", { $: "bigint", value: "12" }], ["() => 1", { $: "function" }], ["Symbol()", { $: "symbol" }], ["new Map([[1, { a: [] }]])", { $: "map", entries: [[1, { a: [] }]] }],
    ["new Set(['x'])", { $: "set", entries: ["x"] }], ["({ get a() { return 1; } })", { a: { $: "accessor" } }], ["({ $: 1 })", { $: "record", entries: [["$", 1]] }],
    ["new (class A {})", { $: "instance" }], ["new Proxy([], {})", { $: "proxy" }], ["Proxy.revocable({}, {}).proxy", { $: "proxy" }],
    ["Object.assign([1], { a: 2 })", { $: "instance" }], ["({ toJSON() { return 7; } })", { toJSON: { $: "function" } }], ["({ valueOf() { return 7; } })", { valueOf: { $: "function" } }],
    ["new Uint8Array(2)", { $: "instance" }], ["Object.create(null)", {}], ["0.1 + 0.2", 0.1 + 0.2], ["1e21", 1e21], ["'\"\\u2028\\ud800'", "\"\u2028\ud800"],
    ["JSON.parse('{\"__proto__\":1}')", JSON.parse('{"__proto__":1}')],
  ])("%s is told apart", async (expression, wanted) => {
    expect(await valueOf(runner, `function f() { return ${expression}; }`)).toEqual(wanted);
  });

  test("whether arguments were changed is seen", async () => {
    const source = "function f(a) { a.sort(); return 1; }";
    const { answers } = await runner.run(source, [{ name: "f", args: [[2, 1]] }, { name: "f", args: [[1, 2]] }], STEPS);
    expect(answers).toMatchObject([{ changed: true }, { changed: false }]);
  });

  test("what was thrown is told without running what it holds", async () => {
    const told = async (thrown: string) => (await run(`throw ${thrown};`)).message;
    expect(await told("new RangeError('no')")).toBe("RangeError: no");
    expect(await told("{ name: 'x', get message() { for (;;); } }")).toBe("x: ");
    expect(await told("new Proxy(new Error('a'), { getOwnPropertyDescriptor() { for (;;); } })")).toBe("something that is no error");
    expect(await told("'text'")).toBe("text");
  });
});

describe("a guest that means to deceive", () => {
  const poison = `
    Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON = () => 42;
    JSON.stringify = () => "7"; JSON.parse = () => 7; Array.isArray = () => false; Object.is = () => true; Reflect.apply = () => 7;
    Array.prototype.every = () => true; Array.prototype.map = () => [7]; Array.prototype.push = () => 7;
    for (const index of ["0", "1", "2"]) Object.defineProperty(Array.prototype, index, { get() { return 7; }, set() {} });
    Array.prototype[Symbol.iterator] = null;
    Object.getOwnPropertyDescriptor = () => ({ value: 7 }); Object.prototype.value = 7; Object.prototype.get = () => 7; Object.prototype.enumerable = false;
    Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => 7; WeakSet.prototype.has = () => false;`;

  test("poisoned prototypes and built-ins change nothing of what the host is told", async () => {
    expect(await valueOf(runner, `${poison} function f(a) { return [1, { b: 2 }, a, undefined]; }`, [3, { c: 4 }])).toEqual([1, { b: 2 }, [3, { c: 4 }], { $: "undefined" }]);
    expect(await valueOf(runner, `const P = Proxy; ${poison} function f() { return new P([], {}); }`)).toEqual({ $: "proxy" });
    expect(await worksStill(runner)).toBe(true);
  });

  test.each([
    "console.assert = () => {};", "console = { assert() {} };", "globalThis.console = { assert() {} };", "delete globalThis.console;",
    "Object.defineProperty(globalThis, 'console', { value: { assert() {} } });", "Object.defineProperty(console, 'assert', { value() {} });",
    "Object.setPrototypeOf(console, { assert() {} });", "eval('var console = { assert() {} }');", "(0, eval)('function console() {}');",
    "with ({ console: { assert() {} } }) { }", "new Function('console = { assert() {} }')();", "Error = function () { return undefined; };",
  ])("an assertion still throws after %s", async (attack) => {
    const result = await run(`try { ${attack} } catch { }\nconsole.assert(1 === 2, "seen");`);
    expect(result).toMatchObject({ ending: "error", message: "Error: seen" });
  });

  test("another console is refused outright", async () => {
    expect((await run("const console = { assert() {} }; console.assert(false);")).message).toContain("SyntaxError");
  });

  test("the function that is called is the one that was there", async () => {
    const { answers } = await runner.run("let f = () => { f = () => 8; return 7; };", [...callF(), ...callF()], STEPS);
    expect(answers.map((answer) => answer.kind === "value" && answer.value)).toEqual([7, 7]);
  });

  test("nothing of the host, no clock, no chance but what follows from the source", async () => {
    const names = ["process", "require", "module", "window", "self", "document", "navigator", "fetch", "XMLHttpRequest", "WebSocket", "importScripts", "postMessage", "setTimeout",
      "setInterval", "queueMicrotask", "performance", "Date", "crypto", "Atomics", "SharedArrayBuffer", "WebAssembly", "structuredClone", "std", "os", "scriptArgs", "print", "Intl", "prepare", "invoke"];
    expect(await valueOf(runner, `function f() { return ${JSON.stringify(names)}.filter(name => typeof globalThis[name] !== "undefined" || eval("typeof " + name) !== "undefined"); }`)).toEqual([]);
    // Nothing but ECMAScript (and this engine's InternalError), of which there is no more than the language names.
    const standard = new Set(("Error EvalError RangeError ReferenceError SyntaxError TypeError URIError InternalError AggregateError Array Object Function Iterator parseInt parseFloat isNaN "
      + "isFinite decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape Infinity NaN undefined Number Boolean String Math Reflect Symbol eval globalThis BigInt RegExp JSON "
      + "Proxy Map Set WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer DataView Uint8ClampedArray Int8Array Uint8Array Int16Array Uint16Array Int32Array Uint32Array BigInt64Array "
      + "BigUint64Array Float16Array Float32Array Float64Array Promise console f").split(" "));
    const found = await valueOf(runner, "function f() { return Object.getOwnPropertyNames(globalThis); }");
    expect((found as string[]).filter((name) => !standard.has(name))).toEqual([]);
    const draws = "function f() { return [Math.random(), Math.random()]; }";
    const drawn = await valueOf(runner, draws);
    expect(await valueOf(freshRunner(), draws)).toEqual(drawn);
    expect(await valueOf(runner, `${draws} `)).not.toEqual(drawn);
    expect((await run("import('fs').then(() => { throw 1; }, e => { throw e; });")).ending).toBe("ok");
    expect((await run("import fs from 'fs';")).message).toContain("SyntaxError");
  });

  test("leaves nothing to a later run", async () => {
    await run("globalThis.left = 1; Array.prototype.left = 2; Object.defineProperty(Object.prototype, 'left', { value: 3 }); Math.left = 4; Math.random = () => 5; Proxy = null;");
    expect(await worksStill(runner)).toBe(true);
    expect(await valueOf(runner, "function f() { return [[].left, Math.left, typeof Proxy, Math.random() < 1].map(String); }")).toEqual(["undefined", "undefined", "function", "true"]);
  });
});
