import { useId } from "react";
import { useStore } from "zustand";
import type { RunConfig } from "#run/run-config.ts";
import { parseRunConfig } from "#run/run-config.ts";
import { isLocked } from "#share/link-extras.ts";
import { changes } from "#store/config-path.ts";
import type { GroupEntry } from "#store/run-state.ts";
import { useDraft, useRun, useWorkbench } from "../workbench-context.ts";

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
  const { controller, draft, board, links } = useWorkbench();
  const restorable = useRun("board", (run) => run.restorable);
  const running = useRun("board", (run) => run.config);
  const edited = useDraft((state) => state.config);
  const locks = useStore(links, (state) => state.locks);
  const from = restorable.findLast((update) => update < entry.update) ?? null;
  const config = from === null ? edited : (running ?? edited);
  const { groupSize } = config.algorithm;
  const isHeld = changes(config, blended(share)(config)).some(({ path }) => isLocked(locks, path));
  const aside = isHeld ? "Locked by the link" : groupSize === GROUP_SIZE ? null : `groups of ${GROUP_SIZE}, not ${groupSize}`;
  const train = (): void => {
    if (from !== null) controller.goBack(from, blended(share));
    else {
      draft.replace(blended(share)(edited));
      controller.restart();
    }
    // The blend is now what is trained with.
    board.compare(null);
  };
  const id = useId();
  const start = from === null ? "the start" : `update ${from}`;
  return (
    <span className="dial-train push">
      {aside !== null && <small id={id}>{aside}</small>}
      <button className="btn btn-sm" type="button" title={`Goes on from ${start} with this blend as credit`} aria-describedby={aside === null ? undefined : id} disabled={isHeld} onClick={train}>
        Train with it from {start}
      </button>
    </span>
  );
}
