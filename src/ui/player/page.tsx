import { Icon } from "../icon.tsx";
import { sentence } from "../format.ts";
import { EpisodePanel } from "./episode-panel.tsx";
import { EvaluationPanel } from "./evaluation-panel.tsx";
import { player, usePlayer } from "./player.ts";
import { PolicyPanel } from "./policy-panel.tsx";
import "../styles/player.css";

/** Any policy that keeps to the tensor contract, played by onnxruntime-web in an environment it fits. */
export default function Player() {
  const isLoaded = usePlayer((state) => state.policy !== null);
  return (
    <main className="player" id="main" tabIndex={-1}>
      <header>
        <h1>Bring your own policy</h1>
        <p>An ONNX file acts here through onnxruntime-web, beside this page’s own engine. It stays in this tab; nothing is uploaded.</p>
      </header>
      <PolicyPanel />
      <Fault />
      {isLoaded && (
        <>
          <EpisodePanel />
          <EvaluationPanel />
        </>
      )}
    </main>
  );
}

function Fault() {
  const fault = usePlayer((state) => state.fault);
  return (
    <div role="alert">
      {fault !== null && (
        <div className="notice">
          <Icon name="warning" />
          <h2>That did not work</h2>
          <p>{sentence(fault)}</p>
          <div className="actions">
            <button className="btn btn-sm" type="button" onClick={() => player.clear()}>
              Dismiss
            </button>
          </div>
        </div>
      )}
    </div>
  );
}
