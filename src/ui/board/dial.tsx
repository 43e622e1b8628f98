import { fixed } from "../format.ts";
import type { BoardModel } from "../hooks/use-board-model.ts";
import { useBoard, useWorkbench } from "../workbench-context.ts";
import { Input } from "../controls/native.tsx";

/** From flat credit to truth: blends on the board at once. */
export function Dial({ model: { truth, compared } }: { readonly model: BoardModel }) {
  const { board } = useWorkbench();
  const share = useBoard((state) => state.share);
  const isOn = useBoard((state) => state.scheme === "dial");
  // What is trained with stands on it until it is turned.
  const shown = isOn ? share : compared?.id === "dial" ? compared.share : 0;
  return (
    <div className="dial push" role="group" aria-label="Dial from flat credit to truth">
      <span aria-hidden="true">Flat</span>
      <Input
        className="range"
        type="range"
        aria-label="Share of truth"
        aria-valuetext={`${Math.round(100 * shown)} percent truth`}
        min={0}
        max={1}
        step={0.05}
        value={shown}
        disabled={truth === null}
        onChange={({ target: { value } }) => board.dial(Number(value))}
      />
      <span aria-hidden="true">Truth</span>
      {shown > 0 && <b className="dial-value">{fixed(shown)}</b>}
    </div>
  );
}
