import { expect, test } from "vitest";
import { KernelError, PolicyError } from "#core/errors.ts";
import { parseRunConfig, PRESETS, setPath, type RunConfig } from "#run/run-config.ts";
import { smallerSetting, withRemedy } from "#trainer/remedy.ts";

const preset = PRESETS["refund-desk"];

test("smaller values are allowed ones and come to an end", () => {
  let config: RunConfig = preset;
  const steps: string[] = [];
  for (let smaller = smallerSetting(config); smaller !== null; smaller = smallerSetting(config)) {
    config = parseRunConfig(setPath(config, smaller.setting, String(smaller.value)));
    steps.push(`${smaller.setting} ${smaller.value}`);
    expect(steps.length).toBeLessThan(30);
  }
  expect(steps).toEqual([
    "algorithm.groupsPerUpdate 16", "algorithm.groupsPerUpdate 8", "algorithm.groupsPerUpdate 4", "algorithm.groupsPerUpdate 2",
    "algorithm.groupSize 4", "algorithm.groupSize 2", "policy.width 32",
  ]);
});

test("only what is about memory is given a smaller value", () => {
  expect(withRemedy(new RangeError("Array buffer allocation failed"), preset).detail).toMatchObject({ fault: "out-of-memory", setting: "algorithm.groupsPerUpdate", value: 16 });
  expect(withRemedy(new KernelError("a kernel aborted"), preset)).toEqual({ code: "kernel", message: "a kernel aborted", detail: {} });
  expect(withRemedy(new PolicyError("the loss is NaN", { setting: "algorithm.learningRate", value: 1 }), preset).detail).toEqual({ setting: "algorithm.learningRate", value: 1 });
});
