import { join } from "node:path";
import { parseArgs } from "node:util";
import { EXHIBIT_IDS, EXHIBITS, type ExhibitId } from "#run/gallery/registry.ts";
import type { Retraining } from "#run/gallery/recording.ts";
import type { Command } from "../command.ts";
import { measureExhibit, type Shelf } from "../gallery/measure.ts";
import { makeFolder, save } from "../host.ts";
import { oneOfWords } from "../options.ts";

const line = (what: string, { curve, seconds }: Retraining): string => {
  const points = curve.map(({ update, score, success, hack }) => `${update}: ${score.toFixed(3)} / ${success.toFixed(3)} / ${hack.toFixed(3)}`);
  return `${what}  ${points.join("   ")}   ${seconds.toFixed(1)} processor seconds\n`;
};

export const exhibit: Command = {
  summary: "train exhibits of the reward-hacking gallery and their patches, and record them",
  usage: [
    "usage: turnwise exhibit [ID…] [--out DIR]", "",
    `  ID         which: ${EXHIBIT_IDS.join(", ")} (default: all)`,
    "  --out DIR  write each recording there (ID.json)", "",
    "Prints, after so many updates: mean reward in training / success on held-out tasks / share of held-out attempts with the hack.", "",
  ].join("\n"),
  async run(argv) {
    const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options: { out: { type: "string" } } });
    const ids: readonly ExhibitId[] = positionals.length === 0 ? EXHIBIT_IDS : positionals.map((name) => oneOfWords("ID", name, EXHIBIT_IDS));
    if (values.out !== undefined) await makeFolder(values.out);
    const shelf: Shelf = new Map();
    for (const id of ids) {
      const recording = await measureExhibit(id, EXHIBITS[id], shelf, (text) => process.stderr.write(`${text}\n`));
      process.stdout.write(line(`${id}, as it is:`, recording.broken));
      for (const [patch, retraining] of Object.entries(recording.patched)) process.stdout.write(line(`${id}, ${patch} (${retraining.survives ? "survives" : "does not survive"}):`, retraining));
      if (values.out !== undefined) await save(join(values.out, `${id}.json`), `${JSON.stringify(recording)}\n`);
    }
    return 0;
  },
};
