import { useEffect, useRef } from "react";
import { nameIn } from "../format.ts";
import { isMismatch, turnTruth } from "#store/credit-board.ts";
import type { BoardModel } from "../hooks/use-board-model.ts";
import { Icon } from "../icon.tsx";
import { useBoard } from "../workbench-context.ts";
import { actionLabel, labelText } from "./action-label.ts";
import { schemeName } from "./credit-scheme.ts";
import { CreditStrip, Neq, NoStrip, SkillStrip } from "./credit-strip.tsx";
import { focusRows } from "./focus/rows.ts";
import { truthLabel } from "./truth-label.ts";

interface AllSchemesProps {
  readonly model: BoardModel;
  readonly member: number;
  readonly onClose: () => void;
}

/** Narrow screens: every scheme on one trajectory as a sheet from below, turn after turn. */
export default function AllSchemes({ model, member, onClose }: AllSchemesProps) {
  const sheet = useRef<HTMLDialogElement>(null);
  const more = useBoard((board) => board.more);
  useEffect(() => sheet.current?.showModal(), []);
  const { entry, truth, scale } = model;
  const rows = focusRows(model, more);
  return (
    <dialog className="dialog scheme-sheet" ref={sheet} aria-labelledby="scheme-sheet-title" onClose={onClose}>
      <div className="dialog-head">
        <h2 id="scheme-sheet-title">Trajectory {nameIn(entry, member)}, all schemes</h2>
        <button className="btn btn-quiet btn-icon" type="button" aria-label="Close" onClick={() => sheet.current?.close()}>
          <Icon name="close" />
        </button>
      </div>
      <div className="dialog-body">
        <p className="note">Truth: {truthLabel([truth?.members[member] ?? null])}</p>
        <ol>
          {entry.group.members[member]?.turns.map((turn, at) => {
            const skill = turnTruth(truth, { member, turn: at });
            return (
              <li key={`turn-${at}`}>
                <h3>
                  {labelText(actionLabel(turn.action))} <span className="note">Turn {at + 1}</span>
                </h3>
                <dl>
                  <dt>
                    <span className="code" aria-hidden="true">
                      T
                    </span>
                    Truth
                  </dt>
                  <dd>{skill === null ? <NoStrip /> : <SkillStrip truth={skill} limit={scale.limit} />}</dd>
                  {rows.map(({ id, config, row }) => {
                    const { letter, name } = schemeName(config);
                    const credit = row?.credits[member]?.[at];
                    const isWrong = credit !== undefined && isMismatch(skill, credit);
                    return [
                      <dt key={`${id} name`}>
                        <span className="code" aria-hidden="true">
                          {letter}
                        </span>
                        {name}
                        {isWrong && <Neq />}
                      </dt>,
                      <dd key={id}>
                        {isWrong && <span className="vh">sign differs from truth: </span>}
                        {credit === undefined ? <NoStrip /> : <CreditStrip credit={credit} factor={scale.factor(id)} limit={scale.limit} isWrong={isWrong} />}
                      </dd>,
                    ];
                  })}
                </dl>
              </li>
            );
          })}
        </ol>
      </div>
    </dialog>
  );
}
