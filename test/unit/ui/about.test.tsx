import { readFileSync } from "node:fs";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { ENVIRONMENTS } from "#environments/registry.ts";
import About from "#ui/about/about.tsx";
import { LICENCES } from "#ui/about/licences.ts";
import { Meters } from "#ui/meters/credit-meters.tsx";

/** What is installed with the app and not delivered to the page, and why. Types alone go by their names. */
const NOT_DELIVERED: Readonly<Record<string, string>> = {
  webgpu: "WebGPU of the command line, in Node",
  "@standard-schema/spec": "types",
  "@standard-schema/utils": "no code of it is used",
  "onnxruntime-common": "in the bundle of onnxruntime-web, by the same authors under the same licence",
  flatbuffers: "of a part of onnxruntime-web that is not used",
  "guid-typescript": "of a part of onnxruntime-web that is not used",
  long: "of a part of onnxruntime-web that is not used",
  platform: "of a part of onnxruntime-web that is not used",
  protobufjs: "of a part of onnxruntime-web that is not used",
};
const isLeftOut = (name: string): boolean => name.startsWith("@types/") || name.startsWith("@protobufjs/") || name in NOT_DELIVERED;

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly dependencies?: Readonly<Record<string, string>> }>>;
}
const { packages }: Lock = JSON.parse(readFileSync("package-lock.json", "utf8"));

/** Everything that the app's dependencies bring, but for what those bring that are not delivered themselves. */
function installed(): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (names: readonly string[]): void => {
    for (const name of names) {
      if (found.has(name)) continue;
      found.add(name);
      if (!isLeftOut(name)) add(Object.keys(packages[`node_modules/${name}`]?.dependencies ?? {}));
    }
  };
  add(Object.keys(packages[""]?.dependencies ?? {}));
  return found;
}

const told = new Set(LICENCES.map(({ library }) => library));

test("every dependency of the app, and whatever they bring, has its licence on the page, or a reason why not", () => {
  const all = [...installed()];
  expect(all.length).toBeGreaterThan(30);
  expect(all.filter((name) => !told.has(name) && !isLeftOut(name))).toEqual([]);
  expect(all.filter((name) => told.has(name) && isLeftOut(name))).toEqual([]);
  expect(Object.keys(NOT_DELIVERED).filter((name) => !all.includes(name))).toEqual([]);
});

test("the service worker's libraries and the interpreter of the sandbox are among them, each with a copyright and a text", () => {
  for (const part of ["core", "expiration", "precaching", "routing", "strategies", "window"]) expect(told).toContain(`workbox-${part}`);
  for (const { library, text } of LICENCES) {
    expect(text.length, library).toBeGreaterThan(500);
    expect(text, library).toMatch(/copyright/i);
  }
  expect(LICENCES.find(({ library }) => library === "@jitl/quickjs-wasmfile-release-sync")?.text).toContain("Fabrice Bellard");
});

test("nothing stands there that is neither brought by a dependency nor a part of the service worker", () => {
  const all = installed();
  expect([...told].filter((name) => !all.has(name) && !name.startsWith("workbox-"))).toEqual([]);
});

test("what the page says of itself is so: its environments, the scale of its rows, what agreement is", () => {
  const text = renderToStaticMarkup(<About />);
  expect(Object.keys(ENVIRONMENTS)).toHaveLength(3);
  expect(text).toContain("Three small environments, each with one base policy");
  expect(text).not.toContain("All rows have one scale");
  expect(text).toContain("The cosine between two gradients of the same attempts");
});

test("agreement has its n, and says that other groups give other numbers", () => {
  const markup = renderToStaticMarkup(<Meters canAsk meters={{ wrongSign: { share: 0.3, count: 84 }, goodQuestionsPunished: { share: null, count: 9 }, gradientCosine: 0.42, groups: 7 }} />);
  expect(markup).toMatch(/0\.42<\/b><small>n = 7<\/small>/);
  expect(markup).toContain("n = 7: over the 7 newest groups that were measured so far. Other groups give other numbers");
  expect(renderToStaticMarkup(<Meters canAsk meters={null} />)).not.toContain("<small>");
});
