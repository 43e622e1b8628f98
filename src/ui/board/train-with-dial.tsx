import type { RunConfig } from "#run/run-config.ts";
import { parseRunConfig } from "#run/run-config.ts";
import type { GroupEntry } from "#store/run-state.ts";
import { useRun, useWorkbench } from "../workbench-context.ts";

/** Truth is measured for every group that is learnt from: groups of four keep that affordable. */
const GROUP_SIZE = 4;

const blended = (share: number) => (config: RunConfig): RunConfig =>
  parseRunConfig({ ...config, algorithm: { ...config.algorithm, groupSize: GROUP_SIZE, credit: { id: "dial", share } } });

interface TrainWithDialProps {
  readonly entry: GroupEntry;
  readonly share: number;
}

/** Trains with the blend from the weights that played the group on the board, or the nearest before them that are still held. */
export default function TrainWithDial({ entry, share }: TrainWithDialProps) {
  const { controller, draft, board } = useWorkbench();
  const restorable = useRun("board", (run) => run.restorable);
  const from = restorable.findLast((update) => update < entry.update) ?? null;
  const train = (): void => {
    if (from !== null) controller.goBack(from, blended(share));
    else {
      draft.replace(blended(share)(draft.getState().config));
      controller.restart();
    }
    // The blend is now what is trained with.
    board.compare(null);
  };
  const start = from === null ? "the start" : `update ${from}`;
  return (
    <button className="btn btn-sm push" type="button" title={`Goes on from ${start} with this blend as credit, in groups of ${GROUP_SIZE}`} onClick={train}>
      Train with it from {start}
    </button>
  );
}
