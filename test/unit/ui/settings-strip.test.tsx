import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { parseRunConfig, PRESETS, type RunConfig } from "#run/run-config.ts";
import { stateOf, type ComparedEntry } from "#store/compare/entry.ts";
import { SettingsStrip } from "#ui/compare/settings-strip.tsx";

const base = PRESETS["refund-desk"];
const dialled = parseRunConfig({ ...base, algorithm: { ...base.algorithm, groupSize: 4, credit: { id: "dial", share: 0.5 } } });
const entry = (config: RunConfig, changedFrom: RunConfig | null = null): ComparedEntry => ({
  title: "entry",
  runs: [{ name: "a", config, weights: null, state: stateOf(config, []), changes: changedFrom === null ? [] : [{ update: 52, before: changedFrom, after: config }] }],
});
const drawn = (...entries: readonly ComparedEntry[]): string => renderToStaticMarkup(<SettingsStrip entries={entries} />).replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");

test("settings that changed on the way are told, with the update after which they did and what they were", () => {
  expect(drawn(entry(base), entry(dialled, base))).toContain("B went on under other settings after update 52: Credit Flat (group-relative) to Dial between flat and truth, Group size 8 to 4.");
});

test("two runs that ended under the same settings were not trained under the same", () => {
  const text = drawn(entry(base), entry(base, dialled));
  expect(text).toContain("B went on under other settings after update 52");
  expect(text).toContain("Otherwise none.");
  expect(text).not.toContain("trained under the same");
  expect(drawn(entry(base), entry(base))).toContain("None: they were trained under the same settings and seeds.");
});
