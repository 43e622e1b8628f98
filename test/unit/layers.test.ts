import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** What each layer may import besides itself; everything else is a fault that lint must report. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  engine: ["core"],
  environments: ["core"],
  sandbox: ["core"],
  harness: ["core", "engine", "environments", "sandbox"],
  algorithms: ["core", "engine"],
  run: ["core", "engine", "environments", "sandbox", "harness", "algorithms"],
  trainer: ["core", "engine", "environments", "sandbox", "harness", "algorithms", "run"],
  protocol: ["core", "engine", "environments", "sandbox", "harness", "algorithms", "run", "trainer", "workers"],
  share: ["core", "engine", "environments", "sandbox", "harness", "algorithms", "run", "trainer"],
  store: ["core", "engine", "environments", "sandbox", "harness", "algorithms", "run", "trainer", "protocol", "share"],
  ui: ["core", "engine", "environments", "sandbox", "harness", "algorithms", "run", "trainer", "protocol", "share", "store"],
  workers: ["core", "engine", "environments", "sandbox", "harness", "algorithms", "run", "trainer", "protocol", "share"],
  cli: ["core", "engine", "environments", "sandbox", "harness", "algorithms", "run", "trainer", "protocol", "share"],
};
const LAYERS = Object.keys(MAY_IMPORT);
const folderOf = (layer: string): string => (layer === "workers" ? "workers" : `src/${layer}`);

/** Two depths, because a relative specifier looks different from each. */
const plantedFile = (layer: string, depth: "top" | "nested"): string =>
  `${folderOf(layer)}/${depth === "top" ? "planted.ts" : "inner/planted.ts"}`;

/** Every way to write an import of `target`; `cli` has no alias. */
function importsOf(target: string, from: string): string[] {
  const path = relative(dirname(from), `${folderOf(target)}/target.ts`);
  const specifiers = [path, ...(target === "cli" ? [] : [`#${target}/target.ts`])];
  return specifiers.flatMap((specifier, index) => [
    `import "${specifier}";`,
    `import type { T as ${target}${index} } from "${specifier}";`,
    `export * from "${specifier}";`,
    `void import("${specifier}");`,
  ]);
}

const CLEAN: Readonly<Record<string, string>> = {
  "src/core/clean.ts": "export const root = (x: number): number => Math.sqrt(Math.floor(x)) + Math.imul(3, 4);\n",
  "src/ui/clean.ts": "export const now = (): number => Math.exp(Math.random()) + Date.now() + performance.now();\n",
};

/** One fault a file; the rule that must report it. */
const FAULTS: readonly (readonly [file: string, rule: string, code: string])[] = [
  ...["core", "environments", "harness", "algorithms", "run", "trainer"].flatMap((layer) =>
    ["random", "exp", "log", "tanh", "cos", "sin", "pow"].map(
      (name) => [`src/${layer}/math-${name}.ts`, "eslint(no-restricted-properties)", `export const x = Math.${name}(1, 2);`] as const,
    ),
  ),
  ["src/core/inner/unpacked.ts", "eslint(no-restricted-properties)", "export const { exp } = Math;"],
  ["src/core/date.ts", "eslint(no-restricted-globals)", "export const now = Date.now();"],
  ["src/run/date.ts", "eslint(no-restricted-globals)", "export const now = new Date();"],
  ["src/trainer/clock.ts", "eslint(no-restricted-globals)", "export const now = performance.now();"],
  ["src/trainer/global-clock.ts", "eslint(no-restricted-properties)", "export const now = globalThis.performance.now();"],
  ["src/engine/cycle-a.ts", "import(no-cycle)", 'import { b } from "#engine/cycle-b.ts"; export const a = (): number => b();'],
  ["src/engine/cycle-b.ts", "import(no-cycle)", 'import { a } from "./cycle-a.ts"; export const b = (): number => a();'],
  ["src/engine/long.ts", "eslint(max-lines)", "export {};\n".repeat(351)],
  ["src/engine/any.ts", "typescript(no-explicit-any)", "export const x: any = 1;"],
  ["src/engine/type-import.ts", "typescript(consistent-type-imports)", 'export type T = import("#core/clean.ts").T;'],
  ["src/engine/floating.ts", "typescript(no-floating-promises)", "const later = async () => 1; export const go = () => { later(); };"],
  ["src/engine/misused.ts", "typescript(no-misused-promises)", "export const go = () => { [1].forEach(async () => { await null; }); };"],
  [
    "src/ui/effect.tsx",
    "react-hooks(exhaustive-deps)",
    'import { useEffect } from "react"; export const useIt = (x: number) => { useEffect(() => { console.log(x); }, []); };',
  ],
  [
    "src/ui/conditional-hook.tsx",
    "react-hooks(rules-of-hooks)",
    'import { useState } from "react"; export const useIt = (on: boolean) => { if (on) useState(1); };',
  ],
  ...["share", "store", "ui"].map((layer) =>
    [`src/${layer}/heavy.ts`, "eslint(no-restricted-imports)", 'export { assignCredit } from "#algorithms/credit/implementations.ts";'] as const),
  ["src/ui/picture.tsx", "jsx-a11y(alt-text)", 'export const Picture = () => <img src="x.png" />;'],
];

interface Report {
  readonly rule: string;
  readonly file: string;
  readonly line: number;
}

let tree: string;

/** A copy of the lint configuration with planted files: the real tree may be linted at the same time. */
beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), "turnwise-lint-"));
  for (const name of [".oxlintrc.json", "package.json", "tsconfig.base.json"]) copyFileSync(resolve(name), join(tree, name));
  const compilerOptions = { lib: ["ES2023", "DOM"], types: [], jsx: "preserve" };
  plant("tsconfig.json", JSON.stringify({ extends: "./tsconfig.base.json", compilerOptions, include: ["src", "workers"] }));
});
afterAll(() => rmSync(tree, { recursive: true, force: true }));

function plant(file: string, code: string): void {
  mkdirSync(dirname(join(tree, file)), { recursive: true });
  writeFileSync(join(tree, file), code);
}

function lint(): Report[] {
  const oxlint = resolve("node_modules/.bin/oxlint");
  const { stdout, stderr } = spawnSync(oxlint, ["--type-aware", "--format=json", "."], { cwd: tree, encoding: "utf8" });
  if (!stdout.startsWith("{")) throw new Error(`oxlint did not run: ${stdout}${stderr}`);
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: readonly { code: string; filename: string; labels: readonly { span: { line: number } }[] }[];
  };
  return diagnostics.map(({ code, filename, labels }) => ({ rule: code, file: filename, line: labels[0]?.span.line ?? 0 }));
}

describe("lint", () => {
  test("reports exactly the imports that go against the layers, in every form and at every depth", () => {
    const expected: string[] = [];
    for (const layer of LAYERS) {
      for (const depth of ["top", "nested"] as const) {
        const file = plantedFile(layer, depth);
        const lines = LAYERS.filter((target) => target !== layer).flatMap((target) =>
          importsOf(target, file).map((code) => ({ code, forbidden: !MAY_IMPORT[layer]?.includes(target) })),
        );
        plant(file, lines.map(({ code }) => `${code}\n`).join(""));
        for (const [index, { code, forbidden }] of lines.entries()) if (forbidden) expected.push(`${file}:${index + 1} ${code}`);
      }
    }
    const planted = new Map(expected.map((entry) => [entry.split(" ")[0], entry]));
    const reported = lint().flatMap(({ rule, file, line }) => {
      const place = `${file}:${line}`;
      return rule === "eslint(no-restricted-imports)" ? [planted.get(place) ?? `${place} is allowed`] : [];
    });
    expect(reported.toSorted()).toEqual(expected.toSorted());
  });

  test("reports each planted fault and nothing in clean files", () => {
    for (const [file, code] of Object.entries(CLEAN)) plant(file, code);
    for (const [file, , code] of FAULTS) plant(file, `${code}\n`);
    const reports = lint();
    for (const [file, rule] of FAULTS) {
      expect(reports.filter((report) => report.file === file).map((report) => report.rule), file).toContain(rule);
    }
    expect(reports.filter(({ file }) => file in CLEAN)).toEqual([]);
  });
});
