import { useEffect, useId, useState } from "react";
import { PRESETS } from "#run/run-config.ts";
import type { Provider } from "#trainer/player/messages.ts";
import { acceptFiles } from "../accept-files.ts";
import { FileButton } from "../controls/file-button.tsx";
import { words } from "../format.ts";
import { saveOnnx } from "../save-file.ts";
import { useRun, useWorkbench } from "../workbench-context.ts";
import { player, usePlayer } from "./player.ts";

/** Read no further than this; the reader in the worker says what is allowed. */
const MOST_BYTES = 32 * 1024 * 1024;

async function openFile(file: File | undefined): Promise<void> {
  if (file === undefined) return;
  if (file.size > MOST_BYTES) {
    player.report(`${file.name} has ${file.size} bytes, allowed are 16777216`);
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  await player.load({ name: file.name, source: { kind: file.name.endsWith(".safetensors") ? "safetensors" : "onnx", bytes }, config: null });
}

const PROVIDERS: readonly { readonly provider: Provider; readonly title: string }[] = [
  { provider: "wasm", title: "WASM" },
  { provider: "webgpu", title: "WebGPU" },
];

/** Which policy, where it acts and by what it is run. */
export function PolicyPanel() {
  const { controller } = useWorkbench();
  const preset = usePlayer((state) => state.preset);
  const provider = usePlayer((state) => state.provider);
  const isBusy = usePlayer((state) => state.work !== null);
  const restorable = useRun("transport", (run) => run.restorable);
  const config = useRun("transport", (run) => run.config);
  const [isOver, setOver] = useState(false);
  const id = useId();
  useEffect(() => acceptFiles(([file]) => void openFile(file), setOver), []);
  const update = restorable.at(-1);
  const current = async (): Promise<void> => {
    if (update === undefined || config === null) return;
    const answer = await controller.checkpoint(update);
    if (answer.ok) await player.load({ name: `Weights after update ${update}`, source: { kind: "safetensors", bytes: answer.value.bytes }, config });
    else player.report(answer.error.message);
  };
  return (
    <section className={isOver ? "panel player-panel is-over" : "panel player-panel"} aria-labelledby={id}>
      <h2 id={id}>Policy</h2>
      <p className="note">
        Drop a file here, or take one: safetensors weights of this page, or a model as ONNX.
      </p>
      <details className="player-contract">
        <summary>What an ONNX file must look like</summary>
        <ul>
          <li>
            Input <code>tokens</code>, int64 [batch, time], both free; output <code>logits</code>, float32 [batch, time, V], V the words of the environment
            (or rounded up to a multiple of 4).
          </li>
          <li>Causal: logits at a place depend on the tokens up to it alone, and are about the one after it. They need no normalising, nor to know what is legal.</li>
          <li>One file of at most 16 MiB, operator set 17. What it holds is checked before it is run, and what is wrong is named.</li>
        </ul>
        <p>
          The whole contract, with a script that makes such a file, is <code>docs/onnx.md</code> in this project’s source; <code>npm run -s turnwise -- export</code> there
          writes a file, and with <code>--words refund-desk</code> the environment’s words.
        </p>
      </details>
      <div className="player-bar">
        <FileButton label="Policy file" accept=".onnx,.safetensors" disabled={isBusy} onFiles={([file]) => void openFile(file)}>
          Choose a file
        </FileButton>
        <button className="btn" type="button" disabled={isBusy || update === undefined} onClick={() => void current()}>
          {update === undefined ? "Weights of the run" : `Weights of the run, update ${update}`}
        </button>
        <button className="btn" type="button" disabled={isBusy} onClick={() => void player.load({ name: "Base policy", source: { kind: "base" }, config: null })}>
          Base policy
        </button>
      </div>
      <div className="player-fields">
        <div className="field">
          <label htmlFor={`${id}-preset`}>Acts in</label>
          <select
            className="select"
            id={`${id}-preset`}
            value={preset}
            disabled={isBusy}
            onChange={({ target: { value } }) => {
              const chosen = Object.values(PRESETS).find((known) => known.preset === value);
              if (chosen !== undefined) void player.choose({ preset: chosen.preset });
            }}
          >
            {Object.values(PRESETS).map(({ preset: name }) => (
              <option key={name} value={name}>
                {words(name)}
              </option>
            ))}
          </select>
        </div>
        <fieldset className="player-providers">
          <legend>Run by</legend>
          {PROVIDERS.map((each) => (
            <label key={each.provider}>
              <input type="radio" name={`${id}-provider`} checked={each.provider === provider} disabled={isBusy} onChange={() => void player.choose({ provider: each.provider })} />
              {each.title}
            </label>
          ))}
        </fieldset>
      </div>
      <Loaded />
    </section>
  );
}

const thousands = (count: number): string => count.toLocaleString("en").replaceAll(",", " ");

function Loaded() {
  const policy = usePlayer((state) => state.policy);
  const isLoading = usePlayer((state) => state.work === "load");
  const download = async (): Promise<void> => {
    const bytes = await player.onnx();
    if (bytes !== null && policy !== null) saveOnnx(bytes, policy.name);
  };
  return (
    <div role="status" className="player-loaded">
      {isLoading && <p>Loading onnxruntime-web and the model …</p>}
      {!isLoading && policy === null && <p className="note">No policy is loaded.</p>}
      {policy !== null && (
        <>
          <p>
            <b>{policy.name}</b> fits: {thousands(policy.loaded.parameters)} parameters, vocabulary {policy.loaded.vocabulary}, contexts of up to {policy.loaded.context}{" "}
            tokens. Run by onnxruntime-web ({policy.loaded.provider === "wasm" ? "WASM" : "WebGPU"}), {policy.loaded.rowsAtOnce} contexts a call.
          </p>
          <p className="note">
            {policy.loaded.beside === "same"
              ? "The native engine plays beside it with the same weights."
              : "Its weights are not the engine’s: the base policy plays beside it in the native engine."}
          </p>
          <button className="btn btn-sm" type="button" onClick={() => void download()}>
            Download as ONNX
          </button>
        </>
      )}
    </div>
  );
}
