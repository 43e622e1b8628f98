import { expect, test } from "vitest";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import { PRESETS, runConfigSchema } from "#run/run-config.ts";
import { allowedAt, childAt } from "#run/schema-walk.ts";
import { changes, withValue } from "#store/config-path.ts";
import { createDraftStore } from "#store/draft-store.ts";
import { changeText, issueText } from "#ui/controls/change-text.ts";
import { settingsName } from "#ui/library/own-settings.ts";

const preset = PRESETS["refund-desk"];
const texts = (draft: unknown): string[] => changes(preset, draft).map((change) => changeText(draft, change));

test("a change is told in the words of the form", () => {
  const draft = withValue(withValue(withValue(preset, "algorithm.credit.std", "none"), "harness.varyWording", true), "algorithm.learningRate", 0.001);
  expect(texts(draft)).toEqual(["Vary the wording off to on", "Divide by Population to None", "Learning rate 0.0005 to 0.001"]);
});

test.each([
  ["algorithm.learningRate", 99, "Learning rate is 99; allowed: a number from 0 to 0.01."],
  ["algorithm.groupSize", null, "Group size is empty; allowed: a whole number from 2 to 64."],
  ["algorithm.groupsPerUpdate", 1, "Minibatches is 2; allowed: at most Groups, which is 1."],
])("what is wrong with %s is told in the words of the form", (path, value, text) => {
  const draft = createDraftStore(preset);
  draft.set(path, value);
  const { issue, draft: edited } = draft.getState();
  expect(issue && issueText(edited, issue)).toBe(text);
});

test("a run's settings are named by its preset and what they have of their own, but for seed, length and evaluation", () => {
  expect(settingsName({ ...preset, seed: 9, updates: 3, evaluation: { ...preset.evaluation, tasks: 4 } })).toBe("refund-desk");
  const own = { ...preset, algorithm: { ...preset.algorithm, learningRate: 0.01, groupSize: 4, groupsPerUpdate: 6, epochs: 2 } };
  expect(settingsName(own)).toBe("refund-desk, Group size 4, Groups 6, Epochs 2, 1 more");
});

const algorithm = childAt(runConfigSchema, preset, "algorithm");
const credit = algorithm && childAt(algorithm, preset.algorithm, "credit");
const offered = (credit === undefined ? "" : allowedAt(credit)).split(", ");

test.each(offered.filter((id) => id !== "flat"))("another scheme, %s, is one change by its title, never by the paths of settings that are gone", (id) => {
  const entry = Object.entries(CREDIT_ASSIGNERS).find(([known]) => known === id)?.[1];
  const draft = withValue(preset, "algorithm.credit", { id, ...entry?.defaults });
  expect(texts(draft)).toEqual([`Credit Flat (group-relative) to ${entry?.title}`]);
});
