import { useState } from "react";
import { ENVIRONMENTS } from "#environments/registry.ts";
import { sentence } from "../format.ts";
import { nameOf, saveFile, saveText } from "../save-file.ts";
import { useWorkbench } from "../workbench-context.ts";
import { creditsUpTo, liveSource } from "./export-source.ts";
import { pictureOf, pngOf } from "./picture.ts";

/** Panels by what they are found by; charts by their place among the cards. */
const PANELS: readonly { readonly title: string; readonly name: string; find(): HTMLElement | undefined }[] = [
  { title: "Board", name: "board", find: () => document.querySelector<HTMLElement>(".board") ?? undefined },
  ...["Success", "Reliability", "Signal"].map((title, index) => ({ title, name: title.toLowerCase(), find: () => document.querySelectorAll<HTMLElement>(".curves .card")[index] })),
];

/** What is drawn on the page, as it stands, with what it is of below it. */
export function Pictures() {
  const { controller, view, run } = useWorkbench();
  const [told, setTold] = useState("");
  const save = async ({ title, name, find }: (typeof PANELS)[number], form: "svg" | "png"): Promise<void> => {
    try {
      const panel = find();
      const source = liveSource(controller);
      if (panel === undefined || source === null) throw new Error(`${title} is not on this page: show it first`);
      const { config } = source;
      const at = view.getState().at ?? run.transport.getState().update;
      const credit = creditsUpTo(source, at);
      const picture = pictureOf(panel, [
        `${title}. ${ENVIRONMENTS[config.environment.id].title}, preset ${config.preset}, seed ${config.seed}, update ${at} of ${config.updates}; credit: ${credit}. Made with Turnwise.`,
      ]);
      if (form === "svg") saveText(picture.svg, nameOf(config, `${name}.svg`), "image/svg+xml");
      else saveFile(await pngOf(picture), nameOf(config, `${name}.png`), "image/png");
      setTold(`${title}: ${Math.round(picture.width)} by ${Math.round(picture.height)}`);
    } catch (error) {
      setTold(sentence(error instanceof Error ? error.message : String(error)));
    }
  };
  return (
    <section className="export-pictures">
      <h3>Pictures</h3>
      <ul>
        {PANELS.map((panel) => (
          <li key={panel.name}>
            <span>{panel.title}</span>
            {(["svg", "png"] as const).map((form) => (
              <button key={form} className="btn btn-sm" type="button" aria-label={`${panel.title}, ${form.toUpperCase()}`} onClick={() => void save(panel, form)}>
                {form.toUpperCase()}
              </button>
            ))}
          </li>
        ))}
      </ul>
      <p role="status">{told}</p>
    </section>
  );
}
