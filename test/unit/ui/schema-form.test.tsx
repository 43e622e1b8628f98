import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { PRESETS } from "#run/run-config.ts";
import { withValue } from "#store/config-path.ts";
import { SchemaForm, type FormSection } from "#ui/controls/schema-form.tsx";

const sections = (...paths: readonly string[]): readonly FormSection[] => [{ title: "All", rows: [paths.map((path) => ({ path }))] }];
const drawn = (draft: unknown, ...paths: readonly string[]): string =>
  renderToStaticMarkup(
    <SchemaForm label="Recipe" sections={sections(...paths)} draft={draft} issue={null} explain lockOf={(path) => (path === "seed" ? "Locked by the link" : null)} onChange={() => {}} />,
  );
const preset = PRESETS["refund-desk"];

test("a number is drawn with its title, help and range", () => {
  const markup = drawn(preset, "algorithm.groupSize");
  expect(markup).toContain(">Group size</label>");
  expect(markup).toContain("Trajectories of the same task that are compared.");
  expect(markup).toMatch(/<input[^>]*type="number"[^>]*min="2"[^>]*max="64"[^>]*step="1"[^>]*value="8"/);
});

test("a picklist becomes a select, a flag a switch, a union a select of its entries", () => {
  expect(drawn(preset, "algorithm.credit.std")).toMatch(/<select[^>]*>.*<option value="population" selected="">Population<\/option>/s);
  expect(drawn(preset, "harness.constrained")).toMatch(/role="switch"[^>]*checked=""/);
  expect(drawn(preset, "algorithm.credit")).toMatch(/<option value="flat" selected="">Flat[^<]*<\/option><option value="leave-one-out">/);
});

test("a setting that the chosen entry does not have is not drawn", () => {
  expect(drawn(withValue(preset, "algorithm.credit", { id: "leave-one-out" }), "algorithm.credit.std")).not.toContain("<select");
});

test("a wrong value says what is taken instead", () => {
  const markup = drawn(withValue(preset, "algorithm.groupSize", 1), "algorithm.groupSize");
  expect(markup).toContain('aria-invalid="true"');
  expect(markup).toContain("Takes a whole number from 2 to 64.");
});

test("what a link locks is disabled and says why; its neighbours are not", () => {
  const markup = drawn(preset, "seed", "updates");
  const [seed = "", updates = ""] = [...markup.matchAll(/<input[^>]*>/g)].map(([input]) => input);
  expect(seed).toContain("disabled");
  expect(updates).not.toContain("disabled");
  const [, lockId = "nothing"] = /id="([^"]*-lock)"[^>]*>Locked by the link</.exec(markup) ?? [];
  expect(seed).toContain(lockId);
});
