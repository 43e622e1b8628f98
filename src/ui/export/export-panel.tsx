import { useId, useState } from "react";
import { useStore } from "zustand";
import { titleOf } from "#store/library-store.ts";
import { sentence } from "../format.ts";
import { nameOf, saveFile } from "../save-file.ts";
import { chosenRun } from "../library/chosen-run.ts";
import { useRun, useWorkbench } from "../workbench-context.ts";
import { liveSource, storedSource, type ExportSource } from "./export-source.ts";
import { FORMAT_IDS, FORMATS, type FormatId } from "./formats.ts";
import { Pictures } from "./pictures.tsx";
import "../styles/export.css";

/** Files of the run on screen, and pictures of what is drawn. */
export function LiveExport() {
  const { controller } = useWorkbench();
  const update = useRun("transport", (run) => run.update);
  const source = liveSource(controller);
  if (update === 0 || source === null) return <p>Once a run has an update behind it, it can be taken away: as a file that opens here again, as weights, as trajectories, as numbers.</p>;
  return (
    <>
      <p>
        Up to update {update}. Nothing is uploaded: files are written by this page.
        {source.snapshot === null && " While the run goes on its newest weights are on their way: pause it to take them along."}
      </p>
      <FormatList source={async () => liveSource(controller)} hasWeights={source.snapshot !== null} />
      <Pictures />
    </>
  );
}

/** Files of a stored run. */
export function StoredExport() {
  const run = useStore(chosenRun, (state) => state.run);
  if (run === null) return null;
  return (
    <>
      <p>
        {titleOf(run)}, {run.update} updates. Nothing is uploaded: files are written by this page.
      </p>
      <FormatList source={() => storedSource(run)} hasWeights={run.hasWeights} />
    </>
  );
}

interface FormatListProps {
  readonly source: () => Promise<ExportSource | null>;
  readonly hasWeights: boolean;
}

function FormatList({ source, hasWeights }: FormatListProps) {
  const id = useId();
  const [told, setTold] = useState("");
  const save = async (format: FormatId): Promise<void> => {
    const { title, ending, make } = FORMATS[format];
    setTold(`${title}: being written`);
    try {
      const from = await source();
      if (from === null) return;
      const { bytes, type } = await make(from);
      saveFile(bytes, nameOf(from.config, ending(from)), type);
      setTold(`${title}: ${bytes.length.toLocaleString()} bytes`);
    } catch (error) {
      setTold(sentence(error instanceof Error ? error.message : String(error)));
    }
  };
  return (
    <>
      <ul className="export-list">
        {FORMAT_IDS.map((format) => {
          const { title, help, needsWeights } = FORMATS[format];
          return (
            <li key={format}>
              <button className="btn" type="button" disabled={needsWeights && !hasWeights} aria-describedby={`${id}-${format}`} onClick={() => void save(format)}>
                {title}
              </button>
              <small id={`${id}-${format}`}>{help}</small>
            </li>
          );
        })}
      </ul>
      <p role="status">{told}</p>
    </>
  );
}
