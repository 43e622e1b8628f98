import type { GroupRecord } from "#run/run-event.ts";
import type { TurnSelection } from "#store/view-store.ts";
import { memberName, signed } from "../format.ts";
import { actionLabel, labelText } from "./action-label.ts";

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"] as const;

const inWords = (count: number): string => NUMBERS[count] ?? String(count);
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** "Four attempts. Two worked." */
export function tally({ members }: GroupRecord): string {
  const worked = members.filter(({ success }) => success).length;
  return `${capital(inWords(members.length))} attempts. ${capital(worked === 0 ? "none" : inWords(worked))} worked.`;
}

/** What the credit says of one turn, and whether it says the same of all others of the attempt. */
export function creditSentence({ members }: GroupRecord, { member, turn }: TurnSelection, scheme: string): string | null {
  const record = members[member];
  const chosen = record?.turns[turn];
  if (record === undefined || chosen === undefined) return null;
  const name = memberName(member);
  const number = signed(chosen.credit);
  const same = record.turns.every(({ credit }) => signed(credit) === number);
  const what = `${name}, turn ${turn + 1}, ${labelText(actionLabel(chosen.action)).toLowerCase()}: ${scheme} gives it ${number}`;
  return same && record.turns.length > 1 ? `${what}, like every other turn of ${name}.` : `${what}.`;
}
