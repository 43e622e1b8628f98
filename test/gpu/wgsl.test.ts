import { describe, expect, it } from "vitest";
import { ACCEPT, ILLEGAL } from "#core/tokens.ts";
import { ADAM } from "#engine/kernels/adamw/index.ts";
import { NO_ROW } from "#engine/kernels/gather-rows/index.ts";
import { KERNELS } from "#engine/kernels/registry.ts";
import { RMS_EPSILON } from "#engine/kernels/rms-norm/index.ts";
import { HEAD_WIDTH, ROW, ROW_FIELDS, SHARDS } from "#engine/kernels/rows.ts";
import { NOT_FORCED } from "#engine/kernels/sample-token/index.ts";
import { NORM_PARTS } from "#engine/kernels/squared-norm/index.ts";
import { HIGHEST_LOG_RATIO, LOSS_PARTS } from "#engine/kernels/token-loss/index.ts";
import prelude from "#engine/webgpu/prelude.wgsl?raw";

const SCALARS: Readonly<Record<string, string>> = { f32: "f32", u32: "u32", vec2f: "f32", vec4f: "f32", mat4x4f: "f32", vec2u: "u32" };
const BINDING = /@group\((\d+)\) @binding\((\d+)\) var<([^>]+)> (\w+): ([^;]+);/g;

const bindingsOf = (wgsl: string) =>
  [...wgsl.matchAll(BINDING)].map(([, group, binding, space, name, type = ""]) => {
    const element = /^array<(\w+)>$/.exec(type)?.[1];
    return { group: Number(group), binding: Number(binding), space, name, kind: element === undefined ? type : SCALARS[element] };
  });
const constantsOf = (wgsl: string): Readonly<Record<string, number>> =>
  Object.fromEntries([...wgsl.matchAll(/const (\w+) = (-?[\dxa-f.e-]+?)u?;/g)].map(([, name = "", value = ""]) => [name, Number(value)]));

describe.each(KERNELS.map((kernel) => [kernel.name, kernel] as const))("%s.wgsl is what its definition says:", (_name, kernel) => {
  it("bindings", () => {
    const expected: unknown[] = kernel.bindings.map(({ name, kind, access }, binding) => ({
      group: 0, binding, space: access === "read" ? "storage, read" : "storage, read_write", name, kind,
    }));
    if (kernel.params.length > 0) expected.push({ group: 0, binding: expected.length, space: "uniform", name: "params", kind: "Params" });
    expect(bindingsOf(kernel.wgsl)).toEqual(expected);
    // What every device offers.
    expect(kernel.bindings.length).toBeLessThanOrEqual(8);
  });
  it("sizes and params", () => {
    expect([...kernel.wgsl.matchAll(/^override (\w+): u32;$/gm)].map(([, name]) => name)).toEqual(kernel.sizes);
    const members = /struct Params \{([^}]*)\}/.exec(kernel.wgsl)?.[1] ?? "";
    expect([...members.matchAll(/(\w+): (\w+),/g)].map(([, name, kind]) => ({ name, kind }))).toEqual(kernel.params);
  });
  it("one entry point of one workgroup size, with its formula at the top", () => {
    expect([...kernel.wgsl.matchAll(/^@compute @workgroup_size\((\d+)\)\nfn (\w+)\(/gm)].map(([, size, name]) => [Number(size), name])).toEqual([
      [kernel.workgroupSize, "main"],
    ]);
    expect(kernel.wgsl).toMatch(/^\/\/ .*Shapes: /s);
  });
});

it("WGSL constants equal those of the TypeScript side", () => {
  const shared = constantsOf(prelude);
  const { TOKEN, PREVIOUS, POSITION, KEY_START, END, STATE, COUNT, DONE } = ROW;
  expect(shared).toMatchObject({ WORKGROUP: 64, HEAD_WIDTH, SHARDS, NORM_PARTS, ROW_FIELDS, NO_ROW, ACCEPT, ILLEGAL, NOT_FORCED });
  expect(shared).toMatchObject({
    ROW_TOKEN: TOKEN, ROW_PREVIOUS: PREVIOUS, ROW_POSITION: POSITION, ROW_KEY_START: KEY_START,
    ROW_END: END, ROW_STATE: STATE, ROW_COUNT: COUNT, ROW_DONE: DONE,
  });
  const own = (name: string): Readonly<Record<string, number>> => constantsOf(KERNELS.find((kernel) => kernel.name === name)?.wgsl ?? "");
  expect(own("adamw")).toEqual({ BETA1: ADAM.BETA1, BETA2: ADAM.BETA2, EPSILON: ADAM.EPSILON });
  expect(own("token-loss")).toEqual({ LOSS_PARTS, HIGHEST_LOG_RATIO });
  expect(own("rms-norm")).toEqual({ EPSILON: RMS_EPSILON });
});
