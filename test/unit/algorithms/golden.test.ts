import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { agrees, GOLDEN_FUNCTIONS, runGolden } from "#algorithms/golden.ts";
import { golden } from "../../../src/cli/commands/golden.ts";
import { UsageError } from "../../../src/cli/usage-error.ts";

interface Vector {
  readonly id: string;
  readonly function: string;
  readonly inputs: object;
  readonly expected: Record<string, unknown>;
  readonly tolerance: number;
}
interface GoldenFile {
  readonly format: string;
  readonly count: number;
  readonly vectors: Vector[];
}

const COPY = resolve("test/fixtures/golden.json");
const WHOLE = resolve(process.env["TURNWISE_DATA"] ?? "../shared/data", "../golden/golden.json");
const read = (path: string): GoldenFile => JSON.parse(readFileSync(path, "utf8")) as GoldenFile;
const copy = read(COPY);
const only = (vector: Vector): GoldenFile => ({ ...copy, count: 1, vectors: [vector] });

test.each(copy.vectors.map((vector) => [vector.id, vector] as const))("%s", (_, vector) => {
  expect(runGolden(only(vector))).toEqual([expect.objectContaining({ id: vector.id, status: "pass" })]);
});

test("every function has vectors, and every vector its function", () => {
  expect([...new Set(copy.vectors.map((vector) => vector.function))].toSorted()).toEqual(Object.keys(GOLDEN_FUNCTIONS).toSorted());
});

const absent = !existsSync(WHOLE);
if (absent) console.warn(`SKIPPED: ${WHOLE} is absent; set TURNWISE_DATA to the folder beside golden/`);
test.skipIf(absent && process.env["CI"] !== "true")("the copy is the whole file", () => {
  expect(copy).toEqual(read(WHOLE));
});

test("any number of an expectation that moves by more than the tolerance fails its vector", () => {
  const nudged = (value: unknown, path: readonly (string | number)[]): unknown => {
    const [key, ...rest] = path;
    if (key === undefined) return (value as number) + 2e-5;
    if (Array.isArray(value)) return value.map((entry, index) => (index === key ? nudged(entry, rest) : entry));
    return { ...(value as object), [key]: nudged((value as Record<string, unknown>)[key], rest) };
  };
  const pathsOf = (value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] => {
    if (typeof value === "number") return [path];
    if (Array.isArray(value)) return value.flatMap((entry, index) => pathsOf(entry, [...path, index]));
    return typeof value === "object" && value !== null ? Object.entries(value).flatMap(([key, entry]) => pathsOf(entry, [...path, key])) : [];
  };
  for (const vector of copy.vectors) {
    for (const path of pathsOf(vector.expected)) {
      const file = only({ ...vector, expected: nudged(vector.expected, path) as Vector["expected"] });
      expect(runGolden(file), `${vector.id} ${path.join(".")}`).toEqual([expect.objectContaining({ status: "fail" })]);
    }
  }
});

test("the comparison", () => {
  expect(agrees({ a: [1, null, true, "x"] }, { a: [1 + 1e-7, null, true, "x"] }, 1e-6)).toBe(true);
  expect(agrees([1], [1 + 2e-6], 1e-6)).toBe(false);
  expect(agrees([NaN], [0], 1e9)).toBe(false);
  expect(agrees([1, 2], [1], 1)).toBe(false);
  expect(agrees([1], [1, 2], 1)).toBe(false);
  expect(agrees({ a: 1 }, { a: 1, b: 2 }, 1)).toBe(false);
  expect(agrees({ a: 1, b: 2 }, { a: 1 }, 1)).toBe(false);
  expect(agrees(null, 0, 1)).toBe(false);
  expect(agrees(true, 1, 1)).toBe(false);
  expect(agrees("1", 1, 1)).toBe(false);
  expect(agrees([0], { 0: 0 }, 1)).toBe(false);
});

const [first] = copy.vectors as [Vector];

test("unknown functions are unsupported, wrong inputs fail with the reason", () => {
  for (const name of ["decoupledPpo", "constructor", "__proto__"]) {
    expect(runGolden(only({ ...first, function: name }))).toEqual([{ id: first.id, function: name, status: "unsupported" }]);
  }
  const [result] = runGolden(only({ ...first, inputs: { rewards: "no" } }));
  expect(result).toMatchObject({ status: "fail", error: expect.stringContaining("Array") as string });
  const ragged = { values: [[1, 2]], oldValues: [[1]], returns: [[1, 2]], mask: [[1, 1]], clip: null };
  expect(runGolden(only({ ...first, function: "valueLoss", inputs: ragged }))[0]?.error).toMatch(/shape/);
});

test.each([
  ["null", null, /the file is null; allowed: Object/],
  ["a list", [], /format is missing$/],
  ["another format", { ...copy, format: "golden-functions/2" }, /format is "golden-functions\/2"; allowed: "golden-functions\/1"/],
  ["a cut file", { ...copy, vectors: copy.vectors.slice(1) }, /says \d+ vectors and has \d+/],
  ["a vector without tolerance", { ...copy, count: 1, vectors: [{ id: "x", function: "entropy", inputs: {}, expected: {} }] }, /vectors\.0\.tolerance is missing/],
])("not a golden file: %s", (_, file, message) => {
  expect(() => runGolden(file)).toThrow(message);
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function command(...argv: string[]): Promise<{ code: number; out: string }> {
  let out = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const code = await golden.run(argv);
  vi.restoreAllMocks();
  return { code, out };
}

test("turnwise golden FILE prints one line a vector", async () => {
  const { code, out } = await command(COPY);
  expect(code).toBe(0);
  expect(out.trimEnd().split("\n")).toEqual(copy.vectors.map(({ id }) => `pass        ${id}`));
});

test("turnwise golden FILE --json prints one object a line", async () => {
  const { code, out } = await command(COPY, "--json");
  expect(code).toBe(0);
  const results = out.trimEnd().split("\n").map((text) => JSON.parse(text) as { id: string; status: string });
  expect(results.map(({ id, status }) => [id, status])).toEqual(copy.vectors.map(({ id }) => [id, "pass"]));
});

test("a failing vector is exit code 1, an unsupported one is not", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "golden-")), "vectors.json");
  writeFileSync(path, JSON.stringify({ ...copy, count: 2, vectors: [{ ...first, function: "decoupledPpo" }, first] }));
  expect(await command(path)).toEqual({ code: 0, out: `unsupported ${first.id}\npass        ${first.id}\n` });
  writeFileSync(path, JSON.stringify(only({ ...first, expected: { advantages: [0] } })));
  const { code, out } = await command(path);
  expect(code).toBe(1);
  expect(out).toMatch(/^fail +groupAdvantage\/\S+  got .*, expected \{"advantages":\[0\]\}\n$/);
});

test("turnwise golden refuses what is no file or no golden file", async () => {
  await expect(command()).rejects.toThrow(UsageError);
  await expect(command(COPY, COPY)).rejects.toThrow(UsageError);
  await expect(command("no/such/file.json")).rejects.toThrow(/cannot read no\/such\/file.json/);
  await expect(command("vite.config.ts")).rejects.toThrow(/not JSON/);
  await expect(command("package.json")).rejects.toThrow(/not a golden file/);
  await expect(command(COPY, "--jason")).rejects.toThrow(/--jason/);
});
