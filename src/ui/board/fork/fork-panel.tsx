import { useEffect, useRef } from "react";
import { useStore } from "zustand";
import { turnTruth } from "#store/credit-board.ts";
import { fixed } from "../../format.ts";
import type { BoardModel } from "../../hooks/use-board-model.ts";
import { Icon } from "../../icon.tsx";
import { useWorkbench } from "../../workbench-context.ts";
import { actionLabel, labelText } from "../action-label.ts";
import { Choices } from "./choices.tsx";
import { editText } from "./edit-text.ts";
import { Futures } from "./futures.tsx";
import "./fork.css";

interface ForkPanelProps {
  readonly model: BoardModel;
  readonly member: number;
  /** Of the matrix above; on narrow screens, which have none, as many as there are turns. */
  readonly columns?: number;
}

/** What else could have come of a trajectory: chosen above, kept below the recorded one as siblings. */
export default function ForkPanel({ model, member, columns = 0 }: ForkPanelProps) {
  const { forks } = useWorkbench();
  const { entry: of, open, futures, rewound } = useStore(forks);
  // The entry drawn may have a replaced end; what was recorded is the store's.
  const recorded = of?.group.members[member];
  const replaced = rewound.get(member);
  const isHere = open !== null && open.at.member === member;
  const at = isHere ? open.at.turn : (futures.find((future) => future.at.member === member)?.at.turn ?? replaced?.turn ?? 0);
  const turn = recorded?.turns[at];
  const heading = useRef<HTMLHeadingElement>(null);
  // What was opened is brought into view, and read on from there.
  useEffect(() => {
    if (isHere) heading.current?.focus();
  }, [isHere, at]);
  // For a moment the board may draw another group already: what is forked is labelled from its own.
  if (recorded === undefined || turn === undefined || of?.update !== model.entry.update || of.group.groupId !== model.entry.group.groupId) return null;
  return (
    <section className="futures" aria-labelledby="futures-title">
      <div className="futures-head">
        <h3 id="futures-title" ref={heading} tabIndex={-1}>Fork at turn {at + 1}</h3>
        <p className="note">{replaced === undefined ? "Same past, another choice. Every future stays beside the recorded one." : `From turn ${replaced.turn + 1} on another future stands in place of the recorded one.`}</p>
        {replaced !== undefined && (
          <button className="btn btn-sm" type="button" onClick={() => forks.restore(member)}>
            <Icon name="reset" />
            Restore
          </button>
        )}
        {isHere && (
          <button className="btn btn-sm btn-quiet btn-icon push" type="button" aria-label="Close the fork" onClick={() => forks.close()}>
            <Icon name="close" />
          </button>
        )}
      </div>
      {isHere && replaced === undefined && <Choices key={at} open={open} turn={turn} />}
      <Futures futures={futures.filter((future) => future.at.member === member)} recorded={recorded} columns={Math.max(columns, recorded.turns.length)} model={model} member={member} />
      <Verdict model={model} member={member} at={at} taken={labelText(actionLabel(turn.action))} />
    </section>
  );
}

/** The newest many-fold future beside what the recorded choice was worth. */
function Verdict({ model: { truth }, member, at, taken }: { readonly model: BoardModel; readonly member: number; readonly at: number; readonly taken: string }) {
  const { forks } = useWorkbench();
  const futures = useStore(forks, (state) => state.futures);
  const many = futures.findLast((future) => future.count > 1 && future.outcome.kind === "done" && future.at.member === member && future.at.turn === at);
  const known = turnTruth(truth, { member, turn: at });
  if (many === undefined || many.outcome.kind !== "done") return null;
  const { successes, count, interval: [low, high] } = many.outcome.result;
  return (
    <p className="futures-say">
      <b>{editText(many.edit)}</b> at turn {at + 1} succeeds {successes} times of {count}: {fixed(successes / count)}, 95 % interval {fixed(low)} to {fixed(high)}.
      {known !== null && (
        <>
          {" "}
          <b>{taken}</b>, as recorded, is worth {fixed(known.actionValue)} ({known.kind === "exact" ? "exact" : "branched"}), and the state before it {fixed(known.value)}.
        </>
      )}
    </p>
  );
}
