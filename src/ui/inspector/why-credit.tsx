import { createElement } from "react";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import { isMismatch, turnTruth } from "#store/credit-board.ts";
import type { GroupEntry } from "#store/run-state.ts";
import type { TurnSelection } from "#store/view-store.ts";
import { wholeGroup } from "#store/whole-group.ts";
import { rewardNote, schemeName } from "../board/credit-scheme.ts";
import { CreditStrip, Neq, NoStrip, SkillStrip } from "../board/credit-strip.tsx";
import { focusRows } from "../board/focus/rows.ts";
import { truthText } from "../board/turn-text.ts";
import { fixed, memberName, signed } from "../format.ts";
import { useBoardModel } from "../hooks/use-board-model.ts";
import { useGroupConfig } from "../hooks/use-group-config.ts";
import { useBoard, useWorkbench } from "../workbench-context.ts";
import type { Comparison, Derivation } from "./formulas/derivation.ts";
import { Calibration } from "./calibration.tsx";
import { formulaOf } from "./formulas/formula-of.ts";
import { truthFormula } from "./formulas/truth.ts";

interface WhyCreditProps {
  readonly entry: GroupEntry;
  readonly at: TurnSelection;
}

/** The credit of one turn under every scheme on the board, and the formula of the chosen one filled in. */
export default function WhyCredit({ entry, at }: WhyCreditProps) {
  const { board } = useWorkbench();
  const model = useBoardModel(entry);
  const { reward } = useGroupConfig(entry);
  const more = useBoard((state) => state.more);
  const { truth, scale, compared, shown, noTruth } = model;
  const skill = turnTruth(truth, at);
  const group = model.entry.group;
  const chosen = shown === null ? null : formulaOf({ config: shown.config, group, whole: wholeGroup(model.entry), at, row: shown, truth });
  const credit = shown?.credits[at.member]?.[at.turn] ?? null;
  return (
    <>
      <section>
        <h3>
          <span className="role role-credit" />
          Credit by scheme <span className="note">scale ±{fixed(scale.limit)}</span>
        </h3>
        <ul className="credit-lines">
          <li>
            <button className="credit-line" type="button" aria-pressed={compared === null} onClick={() => board.compare("truth")}>
              <Label letter="T" name="Truth" note={skill === null ? (noTruth === null ? "not known yet" : "was not measured") : skill.kind === "exact" ? "exact" : `K = ${skill.worlds}`} />
              {skill === null ? <NoStrip /> : <SkillStrip truth={skill} limit={scale.limit} digits={3} />}
            </button>
          </li>
          {focusRows(model, more).map(({ id, config, row }) => {
            const { letter, name, variant } = schemeName(config);
            const paid = row?.credits[at.member]?.[at.turn];
            const isWrong = paid !== undefined && isMismatch(skill, paid);
            return (
              <li key={id}>
                <button className="credit-line" type="button" aria-pressed={compared?.id === id} onClick={() => board.compare(id)}>
                  <Label letter={letter} name={name} note={`${variant}${rewardNote(id, row?.reward ?? "")}`} isWrong={isWrong} />
                  {paid === undefined ? <NoStrip /> : <CreditStrip credit={paid} factor={scale.factor(id)} limit={scale.limit} isWrong={isWrong} digits={3} />}
                </button>
              </li>
            );
          })}
        </ul>
      </section>
      <section>
        <h3>
          <span className="role role-credit" />
          Filled in <span className="note">with this turn’s numbers</span>
        </h3>
        {skill !== null && <Filled letter="T" title={`Truth: ${truthText(skill)}`} derivation={truthFormula(skill)} paid={skill.skill} />}
        {truth?.given === "state" && <p className="formula-note">Given the hidden state: this view knows what the policy could not see, and pays lucky guesses.</p>}
        {noTruth !== null && <p className="formula-note">Truth was not measured. {noTruth}</p>}
        {compared !== null && shown === null && <p className="formula-note">{schemeName(compared).name} {entry.linked === undefined ? ` is not known${noTruth === null ? " yet" : ""} for this group.` : " did not come with the link."}</p>}
        {shown !== null && credit !== null && chosen !== null && (
          <Filled letter={schemeName(shown.config).letter} title={`${schemeName(shown.config).name}, ${schemeName(shown.config).variant}`} derivation={chosen} paid={credit} />
        )}
        {shown !== null && chosen === null && shown.id !== "truth" && <p className="formula-note">{CREDIT_ASSIGNERS[shown.id].title}: its formula stands in the docstring of its file, src/algorithms/credit/{shown.id}.ts.</p>}
        {shown?.config.id === "critic" && shown.basis?.kind === "values" && shown.reward === reward.id && <Calibration entry={entry} config={shown.config} values={shown.basis} />}
        {shown?.fitted !== null && shown?.fitted !== undefined && <p className="formula-note">Its network: {shown.fitted}.</p>}
      </section>
    </>
  );
}

interface LabelProps {
  readonly letter: string;
  readonly name: string;
  readonly note: string;
  readonly isWrong?: boolean;
}

const Label = ({ letter, name, note, isWrong = false }: LabelProps) => (
  <>
    <span className="code" aria-hidden="true">
      {letter}
    </span>
    <span className="credit-name">
      {name} <small title={note}>{note}</small>
      {isWrong && <span className="vh">, sign differs from truth</span>}
    </span>
    <span>{isWrong && <Neq />}</span>
  </>
);

interface FilledProps {
  readonly letter: string;
  readonly title: string;
  readonly derivation: Derivation;
  readonly paid: number;
}

function Filled({ letter, title, derivation: { lines, note, compared }, paid }: FilledProps) {
  const spoken = lines.map(({ text }) => text).join("; ");
  return (
    <div className="filled">
      <span className="code" aria-hidden="true">
        {letter}
      </span>
      <p className="vh">
        {title}: {spoken}. Result {signed(paid, 3)}.
      </p>
      <div className="filled-lines" aria-hidden="true">
        {lines.map(({ node, text }, index) => (
          <div key={index}>{createElement("math", { alttext: text }, node)}</div>
        ))}
      </div>
      <b className="filled-result" aria-hidden="true">
        {signed(paid, 3)}
      </b>
      {note !== null && <p className="formula-note">{note}</p>}
      {compared !== null && <Peers compared={compared} />}
    </div>
  );
}

const Peers = ({ compared: { among, of, peers } }: { readonly compared: Comparison }) => (
  <div className="peers">
    <p>
      Compared with {among}, {of}:
    </p>
    <ul>
      {peers.map(({ member, turn, value, isSelf }) => (
        <li key={`${member}:${turn}`} className={isSelf ? "is-self" : undefined}>
          {memberName(member)}
          {turn === null ? "" : ` turn ${turn + 1}`} <b>{fixed(value)}</b>
          {isSelf && <span className="vh">, this one</span>}
        </li>
      ))}
    </ul>
  </div>
);
