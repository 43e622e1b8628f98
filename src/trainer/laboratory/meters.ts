import type { CountedShare, CreditMeters, GroupTruth } from "#run/assessment.ts";
import { isDecided, isWrongSign } from "#run/skill-sign.ts";
import { cosineOf, dot } from "./gradient.ts";

/** A turn as far as a scheme's sign can be judged by it. */
export interface JudgedTurn {
  readonly skill: number;
  readonly halfWidth: number;
  readonly credit: number;
  readonly isQuestion: boolean;
}

/** Fewer are no share. */
const LEAST_COUNT = 20;

const isWrong = (turn: JudgedTurn): boolean => isWrongSign(turn, turn.credit);
const isGoodQuestion = (turn: JudgedTurn): boolean => turn.isQuestion && turn.skill > 0 && isDecided(turn);

/** Null below 20. */
export const shareOf = (count: number, of: number): CountedShare => ({ share: of < LEAST_COUNT ? null : count / of, count: of });

/** Turns of one group, in order; failed rollouts have none. @param credits [G][turns] */
export const judgedTurns = (truth: GroupTruth, credits: readonly (readonly number[])[], isQuestion: (member: number, turn: number) => boolean): readonly JudgedTurn[] =>
  truth.members.flatMap((member, index) =>
    (member?.turns ?? []).map(({ skill, halfWidth }, turn) => ({ skill, halfWidth, credit: credits[index]?.[turn] ?? 0, isQuestion: isQuestion(index, turn) })));

interface Entry {
  readonly turns: readonly JudgedTurn[];
  /** Under the scheme trained with, and under skill; null where zero. */
  readonly gradient: Float32Array | null;
  readonly skillGradient: Float32Array | null;
}

/** Groups that the meters look back on: a megabyte of gradients each. */
const LOOKED_BACK = 24;

function summed(gradients: readonly (Float32Array | null)[]): Float32Array | null {
  const known = gradients.filter((gradient) => gradient !== null);
  const [first, ...rest] = known;
  if (first === undefined) return null;
  const sum = first.slice();
  for (const gradient of rest) for (let index = 0; index < sum.length; index += 1) sum[index] = (sum[index] as number) + (gradient[index] as number);
  return sum;
}

/** What the newest assessments say of the scheme trained with; a group that was assessed again counts once. */
export class MeterBook {
  readonly #entries = new Map<string, Entry>();

  enter(groupId: string, entry: Entry): void {
    this.#entries.delete(groupId);
    this.#entries.set(groupId, entry);
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size > LOOKED_BACK) this.#entries.delete(oldest);
  }

  /** The cosine is that of the summed gradients: of a batch made of these groups. */
  read(): CreditMeters {
    const entries = [...this.#entries.values()];
    const turns = entries.flatMap((entry) => entry.turns);
    const [decided, questions] = [turns.filter(isDecided), turns.filter(isGoodQuestion)];
    const [paid, skill] = [summed(entries.map(({ gradient }) => gradient)), summed(entries.map(({ skillGradient }) => skillGradient))];
    return {
      wrongSign: shareOf(decided.filter(isWrong).length, decided.length),
      goodQuestionsPunished: shareOf(questions.filter(isWrong).length, questions.length),
      gradientCosine: paid === null || skill === null ? null : cosineOf(dot(paid, skill), dot(paid, paid), dot(skill, skill)),
      groups: entries.length,
    };
  }
}
