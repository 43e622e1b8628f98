import { Suspense, useRef, useState, type ReactNode, type TouchEvent } from "react";
import type { MemberRecord } from "#run/run-event.ts";
import { isMismatch, ledgerOf, truthCredits, turnTruth } from "#store/credit-board.ts";
import type { GroupEntry } from "#store/run-state.ts";
import type { TurnSelection } from "#store/view-store.ts";
import { nameIn, reward } from "../format.ts";
import type { BoardModel } from "../hooks/use-board-model.ts";
import { Icon } from "../icon.tsx";
import { actionLabel, labelText, observationText } from "./action-label.ts";
import { schemeName, type SchemeName } from "./credit-scheme.ts";
import { CreditStrip, Neq, NoStrip, SkillStrip } from "./credit-strip.tsx";
import { ledgerText } from "./ledger.tsx";
import { endingText, OutcomeMark } from "./outcome.tsx";
import { ChipBoard } from "./chip-board.tsx";
import { creditText } from "./turn-text.ts";
import { part } from "../part.tsx";

const AllSchemes = part(() => import("./all-schemes.tsx"));

interface TurnListProps {
  readonly model: BoardModel;
  readonly selection: TurnSelection | null;
  readonly onOpen: (member: number, turn: number) => void;
  /** What belongs under the trajectory that is shown. */
  readonly below: (member: number) => ReactNode;
}

/** Phones: one trajectory at a time, its turns below each other. */
export function TurnList({ model, selection, onOpen, below }: TurnListProps) {
  const chosen = selection?.member ?? 0;
  const [{ shown, of }, show] = useState({ shown: chosen, of: chosen });
  const [isSheetOpen, openSheet] = useState(false);
  // A trajectory chosen elsewhere is shown here; going on from there is this list's own.
  if (of !== chosen) show({ shown: chosen, of: chosen });
  const swipe = useSwipe();
  const { members } = model.entry.group;
  const index = Math.min(shown, members.length - 1);
  const member = members[index];
  if (member === undefined) return null;
  const scheme = model.compared === null ? null : schemeName(model.compared);
  const step = (to: number): void => show({ shown: to, of });
  return (
    <>
      <div className="turns" {...swipe((by) => members[index + by] !== undefined && step(index + by))}>
        <div className="stepper">
          <StepButton direction="Previous" to={index - 1} entry={model.entry} onStep={step} />
          <div>
            <h2>
              Trajectory {nameIn(model.entry, index)}, {index + 1} of {members.length}
            </h2>
            <p>
              <OutcomeMark success={member.success} />
              Reward {reward(member.reward)}, {endingText(member)}
            </p>
          </div>
          <StepButton direction="Next" to={index + 1} entry={model.entry} onStep={step} />
        </div>
        <ol className="turn-list">
          {member.turns.map((_, at) => (
            <TurnCard key={`turn-${at}`} model={model} member={member} at={{ member: index, turn: at }} scheme={scheme} selection={selection} onOpen={onOpen} />
          ))}
        </ol>
        <LedgerCard model={model} index={index} member={member} scheme={scheme} />
        <button className="btn all-six" type="button" aria-haspopup="dialog" onClick={() => openSheet(true)}>
          All schemes for {nameIn(model.entry, index)}
        </button>
        {isSheetOpen && (
          <Suspense>
            <AllSchemes model={model} member={index} onClose={() => openSheet(false)} />
          </Suspense>
        )}
      </div>
      {below(index)}
    </>
  );
}

/** A finger that goes this far, in pixels, and twice as far across as down, means the next trajectory; buttons do the same. */
const SWIPE = 60;

function useSwipe() {
  const start = useRef<readonly [number, number] | null>(null);
  return (step: (by: -1 | 1) => void) => ({
    onTouchStart: ({ touches }: TouchEvent) => {
      const touch = touches.item(0);
      start.current = touch === null ? null : [touch.clientX, touch.clientY];
    },
    onTouchEnd: ({ changedTouches }: TouchEvent) => {
      const touch = changedTouches.item(0);
      if (touch === null || start.current === null) return;
      const [across, down] = [touch.clientX - start.current[0], touch.clientY - start.current[1]];
      start.current = null;
      if (Math.abs(across) >= SWIPE && Math.abs(across) > 2 * Math.abs(down)) step(across < 0 ? 1 : -1);
    },
  });
}

interface TurnCardProps {
  readonly model: BoardModel;
  readonly member: MemberRecord;
  readonly at: TurnSelection;
  readonly scheme: SchemeName | null;
  readonly selection: TurnSelection | null;
  readonly onOpen: (member: number, turn: number) => void;
}

function TurnCard({ model: { truth, isTruthShown, shown, scale }, member, at, scheme, selection, onOpen }: TurnCardProps) {
  const turn = member.turns[at.turn];
  if (turn === undefined) return null;
  const action = actionLabel(turn.action);
  const skill = turnTruth(truth, at);
  const credit = shown?.credits[at.member]?.[at.turn] ?? null;
  const isWrong = credit !== null && isMismatch(skill, credit);
  const isCurrent = selection?.member === at.member && selection.turn === at.turn;
  return (
    <li className={isCurrent ? "turn-card panel is-current" : "turn-card panel"}>
      <ChipBoard observation={turn.observation} />
      <h3>
        <Icon name={action.icon} />
        {labelText(action)}
        {isWrong && <Neq />}
        <span className="note">Turn {at.turn + 1}</span>
      </h3>
      <p>{observationText(turn.observation)}</p>
      {isTruthShown && (
        <div className="phone-strip">
          <span className="note">Truth</span>
          {skill === null ? <NoStrip /> : <SkillStrip truth={skill} limit={scale.limit} />}
        </div>
      )}
      {scheme !== null && (
        <div className="phone-strip">
          <span className="note">{scheme.short}</span>
          {credit === null || shown === null ? <NoStrip /> : <CreditStrip credit={credit} factor={scale.factor(shown.id)} limit={scale.limit} isWrong={isWrong} />}
        </div>
      )}
      <button
        className="why-link"
        type="button"
        aria-label={`Why, turn ${at.turn + 1}: ${labelText(action)}; ${creditText(isTruthShown ? skill : null, scheme?.name ?? null, credit)}`}
        onClick={() => onOpen(at.member, at.turn)}
      />
    </li>
  );
}

interface LedgerCardProps {
  readonly model: BoardModel;
  readonly index: number;
  readonly member: MemberRecord;
  readonly scheme: SchemeName | null;
}

function LedgerCard({ model: { truth, shown, isTruthShown, noTruth }, index, member, scheme }: LedgerCardProps) {
  const known = truth?.members[index] ?? null;
  if (!isTruthShown) return null;
  const isWhole = known !== null && known.turns.length === member.turns.length;
  const closing = isWhole ? ledgerOf(known, member.success, truthCredits(known)) : null;
  const ledger = !isWhole || shown === null ? null : ledgerOf(known, member.success, shown.credits[index] ?? []);
  return (
    <div className="phone-ledger panel">
      <h3>Ledger</h3>
      {closing === null && <p>{noTruth === null ? "The start value is not known yet." : `The start value was not measured. ${noTruth}`}</p>}
      {closing !== null && <p>Truth {ledgerText(closing)}.</p>}
      {ledger !== null && scheme !== null && <p>{scheme.short}: {ledgerText(ledger)}.</p>}
    </div>
  );
}

interface StepButtonProps {
  readonly direction: "Previous" | "Next";
  readonly to: number;
  readonly entry: GroupEntry;
  readonly onStep: (index: number) => void;
}

export function StepButton({ direction, to, entry, onStep }: StepButtonProps) {
  const { members } = entry.group;
  return (
    <button
      className="btn btn-icon"
      type="button"
      disabled={to < 0 || to >= members.length}
      aria-label={`${direction} trajectory${members[to] === undefined ? "" : `, ${nameIn(entry, to)}`}`}
      onClick={() => onStep(to)}
    >
      <Icon name={direction === "Previous" ? "left" : "right"} />
    </button>
  );
}
