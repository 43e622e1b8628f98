import type { TurnRecord } from "#run/run-event.ts";
import { isDecided, isNoSkill } from "#run/skill-sign.ts";
import { isMismatch, turnTruth } from "#store/credit-board.ts";
import type { GroupEntry } from "#store/run-state.ts";
import type { TurnSelection } from "#store/view-store.ts";
import { wholeGroup } from "#store/whole-group.ts";
import { nameIn, signed } from "../format.ts";
import type { BoardModel } from "../hooks/use-board-model.ts";
import { actionLabel, labelText } from "./action-label.ts";
import { schemeName } from "./credit-scheme.ts";

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"] as const;

const inWords = (count: number): string => NUMBERS[count] ?? String(count);
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** "Four attempts. Two worked."; of a link with some of them "Four of eight attempts. Two of these worked." */
export function tally(entry: GroupEntry): string {
  const { members } = entry.group;
  const worked = members.filter(({ success }) => success).length;
  const { size } = wholeGroup(entry);
  const [of, these] = size > members.length ? [` of ${inWords(size)}`, " of these"] : ["", ""];
  return `${capital(inWords(members.length))}${of} attempts. ${capital(worked === 0 ? "none" : inWords(worked))}${these} worked.`;
}

/** A turn that somebody else answers is a question. */
const isQuestion = ({ observation }: TurnRecord): boolean => observation.kind === "user";

/** "4 of 11 signs wrong", of the turns whose sign is certain. */
export function mismatchText({ mismatches: { places, decided } }: BoardModel): string {
  return `${places.length} of ${decided} ${decided === 1 ? "sign" : "signs"} wrong`;
}

/** What the chosen scheme says of one turn, beside the truth where its sign is certain. */
export function turnSentence(model: BoardModel, at: TurnSelection): string | null {
  const { entry, truth, shown } = model;
  const record = entry.group.members[at.member];
  const turn = record?.turns[at.turn];
  const credit = shown?.credits[at.member]?.[at.turn];
  if (record === undefined || turn === undefined || shown === null || credit === undefined) return null;
  const name = nameIn(entry, at.member);
  const scheme = schemeName(shown.config);
  const skill = turnTruth(truth, at);
  const action = labelText(actionLabel(turn.action)).toLowerCase();
  if (skill !== null && isMismatch(skill, credit)) {
    if (skill.skill > 0) {
      const did = isQuestion(turn) ? `${name} asked the right question` : `${name} chose well at turn ${at.turn + 1}, ${action},`;
      return `${did} and ${record.success ? "won" : "lost anyway"}. ${scheme.short} credit punishes the ${isQuestion(turn) ? "question" : "choice"}.`;
    }
    return `${name} chose badly at turn ${at.turn + 1}, ${action}, and ${record.success ? "won anyway" : "lost"}. ${scheme.short} credit rewards the choice.`;
  }
  const paid = `${name}, turn ${at.turn + 1}, ${action}: ${scheme.name} gives it ${signed(credit)}`;
  if (skill !== null) return isDecided(skill) || isNoSkill(skill) ? `${paid}, truth ${signed(skill.skill)}.` : `${paid}; whether the choice helped is not certain.`;
  const number = signed(credit);
  const same = shown.credits[at.member]?.every((other) => signed(other) === number) === true;
  return same && record.turns.length > 1 ? `${paid}, like every other turn of ${name}.` : `${paid}.`;
}

/** The grid in a few sentences, for those who hear it. */
export function boardSummary(model: BoardModel): string {
  const { entry, truth, compared, mismatches, isTruthShown } = model;
  const isKnown = isTruthShown && truth !== null;
  const scheme = compared === null ? null : schemeName(compared);
  const sentences = [tally(entry)];
  if (isKnown) sentences.push(`Truth is given for each turn as skill and luck; the sign of skill is certain for ${mismatches.decided} of ${mismatches.turns} turns.`);
  if (scheme !== null && isKnown) sentences.push(`${scheme.name} has ${mismatchText(model)}.`);
  return sentences.join(" ");
}
