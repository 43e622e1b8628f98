import { useEffect, useId, useState } from "react";
import { useStore } from "zustand";
import { PRESETS } from "#run/run-config.ts";
import type { Imported } from "#store/import-store.ts";
import type { Candidate } from "#store/player-store.ts";
import { quoted } from "#core/untrusted-json.ts";
import { FileButton } from "../controls/file-button.tsx";
import { sentence } from "../format.ts";
import { Icon } from "../icon.tsx";
import { useWorkbench } from "../workbench-context.ts";
import { acceptFiles } from "../accept-files.ts";
import { player, usePlayer } from "../player/player.ts";
import { imports, openFiles } from "./open-files.ts";

/** Where files come in: dropped anywhere on the page, pasted, or chosen. */
export function Imports() {
  const { reading, outcomes } = useStore(imports);
  const [isOver, setOver] = useState(false);
  const id = useId();
  useEffect(() => acceptFiles((files) => void openFiles(files), setOver), []);
  return (
    <section className={isOver ? "panel runs-import is-over" : "panel runs-import"} aria-labelledby={id}>
      <div className="runs-head">
        <h2 id={id}>Open a file</h2>
        <p className="note">Drop, paste or choose run files (.run.json.gz) and policies (.safetensors, .onnx). They stay in this browser.</p>
        <FileButton label="Run and policy files" multiple onFiles={(files) => void openFiles(files)}>
          Choose files
        </FileButton>
      </div>
      <div className="runs-outcomes" aria-live="polite">
        {reading !== null && <p className="note">Reading {quoted(reading, 60).slice(1, -1)}</p>}
        {outcomes.map((outcome, index) => (
          <Outcome key={`${index} ${outcome.file}`} outcome={outcome} />
        ))}
      </div>
    </section>
  );
}

function Outcome({ outcome }: { readonly outcome: Imported }) {
  const name = quoted(outcome.file, 60).slice(1, -1);
  if (outcome.kind === "refused")
    return (
      <div className="notice">
        <Icon name="warning" />
        <h3>{name} was not read</h3>
        <p>{sentence(outcome.message)} Nothing was changed.</p>
      </div>
    );
  switch (outcome.kind) {
    case "run":
      return <RunRead name={name} outcome={outcome} />;
    case "policy":
      return <PolicyRead name={name} outcome={outcome} />;
    case "foreign":
      return <ForeignRead name={name} outcome={outcome} />;
    default:
      return outcome satisfies never;
  }
}

function RunRead({ name, outcome: { run, config, stored: key, fault } }: { readonly name: string; readonly outcome: Extract<Imported, { kind: "run" }> }) {
  const { controller } = useWorkbench();
  const open = (): void => {
    const given = { name: key ?? crypto.randomUUID(), snapshot: run.snapshot, events: run.events };
    controller.openStored(config, key === null ? { kind: "file", run: given.snapshot === null ? given : { ...given, snapshot: { ...given.snapshot, name: given.name } } } : { kind: "kept", name: key });
    location.hash = "#/play";
  };
  const updates = run.snapshot?.update ?? run.events.findLast((event) => event.type === "update")?.update ?? 0;
  return (
    <div className="notice">
      <Icon name={fault === null ? "confirm" : "warning"} />
      <h3>{name}: a run</h3>
      <p>
        {config.preset}, seed {config.seed}, {updates} of {config.updates} updates, {run.snapshot === null ? "without weights: it can be looked at, not gone on with" : "with its weights"}.
        {fault !== null && ` It could not be stored: ${sentence(fault.message)} It can be opened all the same, and is gone with this page.`}
      </p>
      <div className="actions">
        <button className="btn btn-primary" type="button" onClick={open}>
          Open the run
        </button>
      </div>
    </div>
  );
}

interface LetActProps extends Omit<Candidate, "config"> {
  /** Whose policy the file says that it is. */
  readonly preset?: string | undefined;
  readonly isPrimary?: boolean;
}

/** In the player, which says what it lacks: under the preset's settings, else under those being edited. */
function LetAct({ name, source, preset, isPrimary = false }: LetActProps) {
  const { draft } = useWorkbench();
  const isBusy = usePlayer((state) => state.work !== null);
  const act = (): void => {
    location.hash = "#/player";
    void player.load({ name, source, config: Object.values(PRESETS).find((known) => known.preset === preset) ?? draft.getState().config });
  };
  return (
    <button className={isPrimary ? "btn btn-primary" : "btn"} type="button" disabled={isBusy} title={isBusy ? "The player is at work" : undefined} onClick={act}>
      Let it act
    </button>
  );
}

function PolicyRead({ name, outcome }: { readonly name: string; readonly outcome: Extract<Imported, { kind: "policy" }> }) {
  const { controller, draft } = useWorkbench();
  const taken = useStore(imports, (state) => state.taken.get(outcome.file));
  const { model, notes, form } = outcome.policy;
  const start = async (): Promise<void> => {
    if (await imports.startFrom(outcome, draft.getState().config, controller)) location.hash = "#/play";
  };
  const preset = notes["preset"];
  return (
    <div className="notice">
      <Icon name="weights" />
      <h3>{name}: a policy</h3>
      <p>
        {form === "onnx" ? "ONNX" : "Safetensors"}, {model.layers} {model.layers === 1 ? "layer" : "layers"}, width {model.width}, context {model.context}, {model.vocabulary} words
        {preset === undefined ? "" : `, of a run of ${quoted(preset, 40).slice(1, -1)}`}. Runs started from it begin with its weights.
      </p>
      {taken !== undefined && taken !== "" && <p>{`${sentence(taken)} The settings are as they were.`}</p>}
      <div className="actions">
        <button className="btn btn-primary" type="button" onClick={() => void start()}>
          Start runs from it
        </button>
        <LetAct name={outcome.file} source={{ kind: "safetensors", bytes: outcome.bytes }} preset={preset} />
      </div>
    </div>
  );
}

function ForeignRead({ name, outcome: { file, bytes } }: { readonly name: string; readonly outcome: Extract<Imported, { kind: "foreign" }> }) {
  return (
    <div className="notice">
      <Icon name="weights" />
      <h3>{name}: a policy of another tool</h3>
      <p>
        It can act, through onnxruntime-web, in the environment that it was made for. Runs cannot start from it: its weights are not laid out as this page’s
        engine has them.
      </p>
      <div className="actions">
        <LetAct name={file} source={{ kind: "onnx", bytes }} isPrimary />
      </div>
    </div>
  );
}
