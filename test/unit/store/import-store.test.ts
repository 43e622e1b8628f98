import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createImportStore, type HandedFile } from "#store/import-store.ts";

const handed = (name: string, bytes: Uint8Array<ArrayBuffer>, size = bytes.length): HandedFile => ({ name, size, arrayBuffer: async () => bytes.slice().buffer });
const bytesOf = (path: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(path));
const setUp = () => createImportStore({ library: { add: () => Promise.reject(new Error("nothing is stored here")) }, breathe: async () => {} });

test("what was handed over comes in its order: a policy to start from, one of another tool to act, and what is neither", async () => {
  const store = setUp();
  const foreign = bytesOf("test/fixtures/python-policy.onnx");
  await store.open([
    handed("mine.safetensors", bytesOf("public/policies/sokoban.safetensors")),
    handed("theirs.onnx", foreign),
    handed("cut.onnx", foreign.slice(0, foreign.length >> 1)),
    handed("huge.onnx", new Uint8Array(), 2 ** 40),
    handed("empty.onnx", new Uint8Array()),
    handed("run.json.gz", new TextEncoder().encode("{}")),
  ]);
  const { outcomes, reading } = store.getState();
  expect(reading).toBeNull();
  expect(outcomes).toMatchObject([
    { kind: "policy", file: "mine.safetensors", policy: { form: "safetensors", notes: { preset: "sokoban" } } },
    { kind: "foreign", file: "theirs.onnx" },
    { kind: "refused", file: "cut.onnx", message: expect.stringContaining("cut off") },
    { kind: "refused", file: "huge.onnx", message: expect.stringContaining("at most") },
    { kind: "refused", file: "empty.onnx", message: "the file is empty" },
    { kind: "refused", file: "run.json.gz", message: "its name says gzip, its content is something else" },
  ]);
  const [, theirs] = outcomes;
  expect(theirs?.kind === "foreign" && theirs.bytes).toEqual(foreign);
});

test("a folder is not worked through, and it is said what was left", async () => {
  const store = setUp();
  await store.open(Array.from({ length: 23 }, (_, index) => handed(`${index}.txt`, new Uint8Array([1]))));
  const { outcomes } = store.getState();
  expect(outcomes).toHaveLength(21);
  expect(outcomes.at(-1)).toEqual({ kind: "refused", file: "3 more files", message: "at most 20 are read at once" });
});
