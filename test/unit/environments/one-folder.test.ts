import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ENVIRONMENTS } from "#environments/registry.ts";

/** Where an environment is added: its folder, a line in each of the two registries, one for its tools in exported files; then it can be a preset. */
const REGISTRIES = ["src/environments/registry.ts", "src/environments/implementations.ts", "src/share/export/tool-schemas.ts"];
/** Presets, the names of shipped policies, which preset a page or a link without one starts from, and what the gallery shows of some. */
const OF_PRESETS = ["src/run/gallery/js-sandbox.ts", "src/run/gallery/refund-desk.ts", "src/run/run-config.ts", "src/run/base-policy.ts", "src/share/run-link.ts", "src/store/player-store.ts"];
/** Layers that work for any environment. The command line has checks and readers of its own for some, the page pictures. */
const LAYERS = ["core", "engine", "harness", "algorithms", "environments", "run", "trainer", "protocol", "share", "store"];

const files = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? files(join(folder, entry.name)) : entry.name.endsWith(".ts") ? [join(folder, entry.name)] : []));

test("an environment is named in its folder, in the two registries and where tools are exported, nowhere else below the page", () => {
  const ids = Object.keys(ENVIRONMENTS);
  const named = LAYERS.flatMap((layer) => files(join("src", layer))).filter((path) => {
    if (ids.some((id) => path.startsWith(join("src/environments", id)))) return false;
    // A preset is no environment, even of the same name.
    const text = readFileSync(path, "utf8").replaceAll(/PRESETS\[[^\]]+\]/g, "");
    return ids.some((id) => text.includes(`"${id}"`) || text.includes(`environments/${id}/`) || text.includes(`"./${id}/`));
  });
  expect(named.filter((path) => !OF_PRESETS.includes(path)).toSorted()).toEqual(REGISTRIES.toSorted());
});
