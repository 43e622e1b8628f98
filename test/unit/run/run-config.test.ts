import fc from "fast-check";
import * as v from "valibot";
import { expect, test } from "vitest";
import { RECIPES } from "#algorithms/recipes.ts";
import type { Recipe } from "#algorithms/recipes.ts";
import { ConfigError } from "#core/errors.ts";
import { canonical } from "#core/json.ts";
import type { Json } from "#core/trajectory.ts";
import { parseRunConfig, PRESETS, runConfigSchema, setPath } from "#run/run-config.ts";
import type { RunConfig } from "#run/run-config.ts";
import { isRecipe, RECIPE_IDS, recipeOf, withRecipe } from "#run/recipe.ts";

const preset = PRESETS["refund-desk"];
const copy = (config: RunConfig): Record<string, unknown> => JSON.parse(JSON.stringify(config)) as Record<string, unknown>;

/** A copy of the preset with one value replaced, or removed. */
function changed(path: string, value?: unknown): unknown {
  const root = copy(preset);
  const keys = path.split(".");
  const last = keys.pop() as string;
  const place = keys.reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, root);
  if (value === undefined) delete place[last];
  else place[last] = value;
  return root;
}

test.each(Object.entries(PRESETS))("preset %s is a plain JSON object that parses to itself", (id, config) => {
  expect(config.preset).toBe(id);
  expect(parseRunConfig(config)).toEqual(config);
  expect(parseRunConfig(JSON.parse(JSON.stringify(config)))).toEqual(config);
});

test("presets are what learning.md measured", () => {
  expect(preset.algorithm).toMatchObject(RECIPES.grpo.settings);
  expect(preset.algorithm).toEqual({
    credit: { id: "flat", std: "population", eps: 1e-4, leaveOneOut: false },
    objective: { id: "clipped", aggregation: "tokenMean", constant: 128, dualClip: null, entropyCoefficient: 0, klCoefficient: 0, klEstimator: "exact", valueCoefficient: 0 },
    groupSize: 8, groupsPerUpdate: 32, resampleRounds: 0, minibatches: 2, epochs: 1, learningRate: 5e-4, warmup: 5, maxGradNorm: 1, clipLow: 0.2, clipHigh: 0.2,
  });
  expect(preset).toMatchObject({ updates: 250, from: "base", policy: { layers: 2, width: 64, context: 128, valueHead: false }, evaluation: { every: 50, tasks: 256, trials: 8 } });
  const { environment, ...rest } = PRESETS["refund-desk-4-orders"];
  expect(environment).toEqual({ ...preset.environment, maxOrders: 4 });
  expect({ ...rest, preset: "refund-desk", environment: preset.environment }).toEqual(preset);
});

test.each(RECIPE_IDS)("recipe %s makes a valid configuration, which is recognised", (id) => {
  const { settings, reward = preset.reward, valueHead }: Recipe = RECIPES[id];
  const config = withRecipe(preset, id);
  expect(parseRunConfig(config)).toEqual(config);
  expect(config).toEqual({ ...preset, reward, algorithm: { ...preset.algorithm, ...settings }, policy: { ...preset.policy, valueHead: valueHead === true } });
  expect(recipeOf(config)).toBe(id);
  expect(recipeOf({ ...config, seed: 77, updates: 3 })).toBe(id);
  expect(recipeOf({ ...config, algorithm: { ...config.algorithm, clipHigh: 0.5 } })).toBeNull();
});

test("recipes can be tried in any order: each undoes what another one set", () => {
  const edited = { ...preset, seed: 5, harness: { ...preset.harness, varyWording: true } };
  for (const first of RECIPE_IDS) for (const second of RECIPE_IDS) expect(withRecipe(withRecipe(edited, first), second)).toEqual(withRecipe(edited, second));
  expect(withRecipe(edited, "random-reward").reward.id).toBe("coin-flip");
  expect(recipeOf(preset)).toBe("grpo");
  expect(isRecipe("grpo") && !isRecipe("nope") && !isRecipe("toString")).toBe(true);
});

test("a value head that nothing fits is refused, and so is a loss without a head", () => {
  const critic = setPath(preset, "algorithm.credit", "critic");
  expect(() => parseRunConfig(setPath(critic, "policy.valueHead", "true"))).toThrow("algorithm.objective.valueCoefficient is 0; allowed: more than 0 while policy.valueHead is true and algorithm.credit is critic");
  expect(parseRunConfig(critic)).toEqual(critic);
  expect(() => parseRunConfig(setPath(critic, "algorithm.objective.valueCoefficient", "0.5"))).toThrow("allowed: 0 while policy.valueHead is false");
});

test.each([
  ["algorithm.groupSize", 1, "algorithm.groupSize is 1; allowed: a whole number from 2 to 64"],
  ["algorithm.groupSize", 8.5, "algorithm.groupSize is 8.5; allowed: a whole number from 2 to 64"],
  ["algorithm.groupSize", "8", 'algorithm.groupSize is "8"; allowed: a whole number from 2 to 64'],
  ["algorithm.groupSize", null, "algorithm.groupSize is null; allowed: a whole number from 2 to 64"],
  ["algorithm.learningRate", Number.NaN, "algorithm.learningRate is NaN; allowed: a number from 0 to 0.01"],
  ["algorithm.clipHigh", Infinity, "algorithm.clipHigh is Infinity; allowed: a number from 0.0001 to 10"],
  ["policy.width", 40, "policy.width is 40; allowed: a whole number from 32 to 128 in steps of 16"],
  ["policy.valueHead", 1, "policy.valueHead is 1; allowed: true, false"],
  ["algorithm.objective.dualClip", 1, "algorithm.objective.dualClip is 1; allowed: a number from 1.01 to 100, or null"],
  ["algorithm.objective.aggregation", "mean", 'algorithm.objective.aggregation is "mean"; allowed: tokenMean, sequenceMean, constant'],
  ["algorithm.credit.id", "nope", 'algorithm.credit.id is "nope"; allowed: flat, leave-one-out, reinforce,'],
  ["algorithm.credit", "flat", 'algorithm.credit is "flat"; allowed: an object whose id is one of flat, leave-one-out'],
  ["algorithm.credit.gamma", 1, 'algorithm.credit has no setting "gamma"; allowed: std, eps, leaveOneOut'],
  ["algorithm.credit", { id: "leave-one-out", eps: 0 }, 'algorithm.credit has no setting "eps"; allowed: '],
  ["environment.maxOrders", 5, "environment.maxOrders is 5; allowed: a whole number from 1 to 4"],
  ["environment.denyShare", -0.1, "environment.denyShare is -0.1; allowed: a number from 0 to 1"],
  ["reward.check", "", 'reward.check is ""; allowed: a text that is not empty'],
  ["from", 3, "from is 3; allowed: a text that is not empty"],
  ["preset", "nope", 'preset is "nope"; allowed: refund-desk, refund-desk-4-orders'],
  ["version", 2, "version is 2; allowed: 1"],
  ["seed", undefined, /^seed is missing; allowed: a whole number from 0 to \d+$/],
  ["algorithm.credit.id", undefined, "algorithm.credit.id is missing; allowed: flat, leave-one-out"],
  ["policy", [], /^policy.layers is missing/],
  ["extra", {}, 'the configuration has no setting "extra"; allowed: version, preset, seed, updates, from, environment, harness, reward, algorithm, policy, evaluation'],
])("%s = %j", (path, value, message) => {
  const parse = (): RunConfig => parseRunConfig(changed(path, value));
  expect(parse).toThrow(ConfigError);
  expect(parse).toThrow(message);
});

test.each([null, undefined, 1, "x", [], true, () => 0])("%j is no configuration", (input) => {
  expect(() => parseRunConfig(input)).toThrow(ConfigError);
});

test("settings that do not fit together", () => {
  expect(() => parseRunConfig(setPath(setPath(preset, "algorithm.groupsPerUpdate", "4"), "algorithm.minibatches", "8")))
    .toThrow("algorithm.minibatches is 8; allowed: at most algorithm.groupsPerUpdate, which is 4");
  const valued = setPath(preset, "algorithm.objective.valueCoefficient", "0.5");
  expect(() => parseRunConfig(valued)).toThrow("algorithm.objective.valueCoefficient is 0.5; allowed: 0 while policy.valueHead is false");
  expect(() => parseRunConfig(setPath(valued, "policy.valueHead", "true"))).not.toThrow();
  const shares = setPath(preset, "environment.ambiguousShare", "0.9");
  expect(() => parseRunConfig(shares)).toThrow("environment is not possible: ambiguousShare and recentShare must sum to at most 1");
  expect(() => parseRunConfig(setPath(shares, "environment.recentShare", "0.1"))).not.toThrow();
});

test("an error carries its path as data", () => {
  try {
    parseRunConfig(changed("algorithm.groupSize", 1));
  } catch (error) {
    expect(error).toMatchObject({ code: "config", detail: { path: "algorithm.groupSize" } });
  }
  expect.assertions(1);
});

test("setPath reads text by the type of the setting and leaves the rest and the original alone", () => {
  const before = canonical(preset as Json);
  expect(setPath(preset, "algorithm.learningRate", "1e-3")).toEqual(changed("algorithm.learningRate", 0.001));
  expect(setPath(preset, "algorithm.groupSize", "16")).toEqual(changed("algorithm.groupSize", 16));
  expect(setPath(preset, "policy.valueHead", "true")).toEqual(changed("policy.valueHead", true));
  expect(setPath(preset, "harness.constrained", "false")).toEqual(changed("harness.constrained", false));
  expect(setPath(preset, "from", "runs/7/policy.safetensors")).toEqual(changed("from", "runs/7/policy.safetensors"));
  expect(setPath(preset, "reward.check", "naive")).toEqual(changed("reward.check", "naive"));
  expect(setPath(preset, "algorithm.objective.dualClip", "3")).toEqual(changed("algorithm.objective.dualClip", 3));
  expect(setPath(setPath(preset, "algorithm.objective.dualClip", "3"), "algorithm.objective.dualClip", "null")).toEqual(preset);
  expect(setPath(preset, "environment.maxOrders", "2")).toEqual(changed("environment.maxOrders", 2));
  expect(canonical(preset as Json)).toBe(before);
});

test("an entry's id selects it with its defaults", () => {
  expect(setPath(preset, "algorithm.credit", "leave-one-out")).toEqual(changed("algorithm.credit", { id: "leave-one-out" }));
  expect(setPath(preset, "algorithm.credit.id", "leave-one-out")).toEqual(changed("algorithm.credit", { id: "leave-one-out" }));
  const tuned = setPath(preset, "algorithm.credit.eps", "0");
  expect(setPath(tuned, "algorithm.credit", "flat")).toEqual(preset);
  expect(setPath(tuned, "preset", "refund-desk-4-orders")).toEqual(PRESETS["refund-desk-4-orders"]);
});

test.each([
  ["algorithm.credit", "nope", 'algorithm.credit is "nope"; allowed: flat, leave-one-out, reinforce,'],
  ["algorithm.groupSize", "many", 'algorithm.groupSize is "many"; allowed: a whole number from 2 to 64'],
  ["algorithm.groupSize", "0x10", 'algorithm.groupSize is "0x10"'],
  ["algorithm.groupSize", "", 'algorithm.groupSize is ""'],
  ["algorithm.groupSize", " 8", 'algorithm.groupSize is " 8"'],
  ["algorithm.groupSize", "1e400", "algorithm.groupSize is Infinity"],
  ["algorithm.groupSize", "65", "algorithm.groupSize is 65"],
  ["policy.valueHead", "yes", 'policy.valueHead is "yes"; allowed: true, false'],
  ["algorithm.objective.dualClip", "off", 'algorithm.objective.dualClip is "off"; allowed: a number from 1.01 to 100, or null'],
  ["preset", "nope", 'preset is "nope"; allowed: refund-desk, refund-desk-4-orders'],
  ["version", "2", 'version is "2"; allowed: 1'],
  ["algorithm", "grpo", "algorithm is a group of settings; set one of algorithm.credit, algorithm.objective,"],
  ["algorithm.lr", "1", 'algorithm has no setting "lr"; allowed: credit, objective, groupSize,'],
  ["algorithm.credit.gamma", "1", 'algorithm.credit has no setting "gamma"; allowed: std, eps, leaveOneOut'],
  ["seed.x", "1", 'seed is a single value and has no setting "x"'],
  ["", "1", 'the configuration has no setting ""; allowed: version, preset,'],
  ["algorithm.", "1", 'algorithm has no setting ""'],
  ["__proto__.polluted", "1", 'the configuration has no setting "__proto__"'],
  ["algorithm.constructor.prototype", "1", 'algorithm has no setting "constructor"'],
  ["algorithm.credit.__proto__", "1", 'algorithm.credit has no setting "__proto__"'],
  ["seed.toString", "1", 'seed is a single value and has no setting "toString"'],
])("setPath %s=%s is refused", (path, text, message) => {
  expect(() => setPath(preset, path, text)).toThrow(ConfigError);
  expect(() => setPath(preset, path, text)).toThrow(message);
});

test("foreign prototypes neither pass nor stick", () => {
  const hostile = JSON.parse(JSON.stringify(preset).replace('"seed":1', '"seed":1,"__proto__":{"polluted":1}')) as unknown;
  expect(() => parseRunConfig(hostile)).toThrow('the configuration has no setting "__proto__"');
  expect(() => parseRunConfig(changed("algorithm.credit.constructor", 1))).toThrow(/"constructor"/);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

/** Every leaf of the preset, as a path and its value. */
const leaves = (value: unknown, path: readonly string[] = []): [string, unknown][] =>
  typeof value === "object" && value !== null ? Object.entries(value).flatMap(([key, entry]) => leaves(entry, [...path, key])) : [[path.join("."), value]];

test("setting every leaf to the text of its own value changes nothing", () => {
  const settings = leaves(preset).filter(([path]) => !path.endsWith(".id"));
  for (const [path, value] of settings) expect(setPath(preset, path, String(value)), path).toEqual(preset);
});

test("any JSON in any place is refused by name or accepted whole", () => {
  const paths = leaves(preset).map(([path]) => path);
  fc.assert(fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, value) => {
    const input = changed(path, value as unknown);
    try {
      expect(parseRunConfig(input)).toEqual(input);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      expect((error as ConfigError).message).toMatch(/^[a-z.A-Z]+ (is|has) /);
    }
  }), { numRuns: 300 });
});

test("any text at any path gives a valid structure or a ConfigError", () => {
  const paths = leaves(preset).map(([path]) => path);
  const text = fc.oneof(fc.string(), fc.constantFrom("0", "-1", "1e9", "true", "null", "flat", "__proto__"));
  const path = fc.oneof(fc.constantFrom(...paths), fc.array(fc.constantFrom("algorithm", "credit", "id", "__proto__", "constructor", ""), { maxLength: 4 }).map((keys) => keys.join(".")));
  fc.assert(fc.property(path, text, (where, typed) => {
    try {
      expect(v.is(runConfigSchema, setPath(preset, where, typed))).toBe(true);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
    }
  }), { numRuns: 300 });
});

test("every field has a title, a help and a range for the form", () => {
  const fields = (schema: v.GenericSchema): v.GenericSchema[] => {
    if (schema.type === "strict_object" && "entries" in schema) return Object.values(schema.entries as Record<string, v.GenericSchema>).flatMap(fields);
    if (schema.type === "variant" && "options" in schema) return [schema, ...(schema.options as v.GenericSchema[]).flatMap(fields)];
    return schema.type === "literal" ? [] : [schema];
  };
  const all = fields(runConfigSchema);
  expect(all.length).toBeGreaterThan(35);
  for (const field of all) {
    expect(v.getMetadata(field)).toMatchObject({ title: expect.stringMatching(/\S/) as string, help: expect.stringMatching(/\S/) as string });
    if (field.type === "number") expect(v.getMetadata(field)).toMatchObject({ min: expect.any(Number) as number, max: expect.any(Number) as number });
  }
});
