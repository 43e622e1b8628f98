import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { canonical } from "#core/json.ts";
import type { Json } from "#core/trajectory.ts";
import type { ExhibitRecording, Retraining } from "#run/gallery/recording.ts";
import { EXHIBIT_IDS, EXHIBITS } from "#run/gallery/registry.ts";
import { measureExhibit, type Shelf } from "../gallery/measure.ts";
import type { Check } from "./registry.ts";

const RECORDINGS = new URL("../../../public/recordings/gallery/", import.meta.url);

const shown = ({ curve }: Retraining): string =>
  [curve[0], curve.at(-1)].map((point) => (point === undefined ? "nothing" : `${point.score.toFixed(3)} / ${point.success.toFixed(3)} / ${point.hack.toFixed(3)}`)).join(" to ");

/** All but the seconds, which depend on the machine. */
const figuresOf = ({ broken, patched, attempt, fingerprint }: ExhibitRecording): string =>
  canonical([fingerprint, broken.curve, Object.entries(patched).map(([id, { curve, survives }]) => [id, curve, survives]), attempt] as unknown as Json);

/** Every exhibit and every patch trained again from the base policy: the figures shown in the gallery, to the last bit. */
export const gallery: Check = {
  async run(progress) {
    const shelf: Shelf = new Map();
    const figures: Record<string, number | string> = {};
    let passed = true;
    for (const id of EXHIBIT_IDS) {
      const measured = await measureExhibit(id, EXHIBITS[id], shelf, progress);
      const recorded: ExhibitRecording = JSON.parse(await readFile(fileURLToPath(new URL(`${id}.json`, RECORDINGS)), "utf8"));
      const same = figuresOf(measured) === figuresOf(recorded);
      passed &&= same;
      figures[`${id}: paid in training / held-out success / hack, base to trained`] = shown(measured.broken);
      figures[`${id}: processor seconds`] = measured.broken.seconds;
      for (const [patch, retraining] of Object.entries(measured.patched)) figures[`${id}, ${patch}: ${retraining.survives ? "survives" : "does not survive"}`] = shown(retraining);
      figures[`${id}: as recorded`] = same ? "yes" : "no";
    }
    return { passed, figures };
  },
};
