import { expect, test } from "vitest";
import { Realm } from "#sandbox/realm.ts";
import { compileEngine } from "../../../src/cli/code-runner.ts";
import { callF, STEPS } from "./support.ts";

const openRealm = async (): Promise<Realm> => Realm.open(await compileEngine());
const contains = (memory: WebAssembly.Memory, text: string): boolean => Buffer.from(memory.buffer).includes(text);

test("500 episodes leave the heap as long as it was", async () => {
  const realm = await openRealm();
  const { memory } = realm;
  const before = memory.buffer.byteLength;
  const calls = Array.from({ length: 20 }, (_, index) => callF(index)).flat();
  for (let index = 0; index < 500; index += 1) {
    const { result, spent } = realm.run(`function f(a) { const list = [${index}]; list.push(a, [a], { a }); return list; }`, calls, STEPS);
    expect([result.answers.length, spent]).toEqual([20, false]);
  }
  expect(memory.buffer.byteLength).toBe(before);
});

test("memory stays within its limit, whatever asks for it", async () => {
  const realm = await openRealm();
  const { memory } = realm;
  expect(realm.run("const a = []; for (;;) a.push(new Array(10000).fill(1));", [], STEPS)).toMatchObject({ result: { ending: "memory" }, spent: true });
  expect(memory.buffer.byteLength).toBeLessThan(24 * 1024 * 1024);
});

test("what one run knew is not in the memory that the next one can reach", async () => {
  const realm = await openRealm();
  const { memory } = realm;
  const secret = ["canary", "7f3a91"].join("-");
  realm.run(`const told = ["${secret}"]; function f() { return told; }`, callF(), STEPS);
  expect(contains(memory, secret)).toBe(true);
  // The bytes may lie there still; no value of the engine leads to them, and what is allocated is written before it is read.
  const search = `function f() {
    const seen = new Set(), queue = [globalThis];
    while (queue.length) { const v = queue.pop(); if (typeof v === "string" && v.includes("canary-")) return v;
      if ((typeof v !== "object" && typeof v !== "function") || v === null || seen.has(v)) continue; seen.add(v);
      for (const key of Reflect.ownKeys(v)) { try { queue.push(v[key], String(key)); } catch { } } queue.push(Object.getPrototypeOf(v)); }
    const raw = new Uint8Array(1 << 20); let text = ""; for (let i = 0; i < raw.length; i += 1) if (raw[i]) text += String.fromCharCode(raw[i]); return text;
  }`;
  const { result } = realm.run(search, callF(), 100 * STEPS);
  expect(result.answers).toEqual([{ kind: "value", value: "", changed: false }]);
});
