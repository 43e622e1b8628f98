import { groupAdvantage } from "#algorithms/credit/flat.ts";
import { CREDIT_ASSIGNERS, type CreditConfig } from "#algorithms/credit/registry.ts";
import type { CreditId, CreditRow, GroupTruth, MemberTruthRecord, SchemeCredit, TurnTruth } from "#run/assessment.ts";
import { isDecided, isWrongSign } from "#run/skill-sign.ts";
import { PRESETS, setPath } from "#run/run-config.ts";
import type { GroupRecord } from "#run/run-event.ts";
import type { GroupEntry } from "./run-state.ts";
import type { TurnSelection } from "./view-store.ts";
import { wholeGroup } from "./whole-group.ts";

/** Schemes that every board has below truth, in this order. */
export const BOARD_SCHEMES = ["flat", "process", "gigpo", "critic", "istar"] as const satisfies readonly CreditId[];

/** A scheme's row: cost is null where it is not known (yet). */
export type BoardRow = CreditRow & Pick<SchemeCredit, "fitted" | "basis"> & { readonly cost: SchemeCredit["cost"] | null };

const NOTHING = { steps: 0, tokens: 0 };

/** What is known of a group: the rows it was recorded with at once, those of its assessments when they come. The one trained with is first. */
export function boardRows({ credits }: GroupRecord, schemes: readonly SchemeCredit[]): readonly BoardRow[] {
  const rows = new Map<CreditId, BoardRow>();
  for (const row of credits) rows.set(row.id, { ...row, cost: CREDIT_ASSIGNERS[row.id].needs.length === 0 ? NOTHING : null, fitted: null, basis: null });
  for (const row of schemes) {
    // What was paid stands: an assessment knows only some of the batch that the scheme saw.
    const paid = rows.get(row.id);
    rows.set(row.id, paid === undefined ? row : { ...row, config: paid.config, reward: paid.reward, credits: paid.credits, summed: paid.summed });
  }
  return [...rows.values()];
}

export const rowOf = (rows: readonly BoardRow[], id: CreditId | null): BoardRow | null => rows.find((row) => row.id === id) ?? null;

/** (1 − share)·(R − group mean) + share·skill, as `algorithms/credit/dial.ts` pays it; null without truth, or where a link lacks the group's rewards. */
export function dialRow(entry: Pick<GroupEntry, "group" | "linked">, truth: GroupTruth | null, share: number): BoardRow | null {
  const { places, rewards } = wholeGroup(entry);
  if (truth === null || rewards === null) return null;
  const flat = groupAdvantage(rewards, { std: "none", eps: 0, leaveOneOut: false });
  const credits = entry.group.members.map(({ turns }, member) =>
    turns.map((_, turn) => (1 - share) * (flat[places[member] ?? member] ?? 0) + share * (truth.members[member]?.turns[turn]?.skill ?? 0)));
  return { id: "dial", config: { id: "dial", share }, reward: "verifiable", credits, summed: false, cost: null, fitted: null, basis: null };
}

export const turnTruth = (truth: GroupTruth | null, { member, turn }: TurnSelection): TurnTruth | null => truth?.members[member]?.turns[turn] ?? null;

/** Paid against a skill whose sign is certain; never where truth is not known. */
export const isMismatch = (truth: TurnTruth | null, credit: number): boolean => truth !== null && isWrongSign(truth, credit);

export interface Mismatches {
  /** In reading order. */
  readonly places: readonly TurnSelection[];
  /** Turns that could be one. */
  readonly decided: number;
  readonly turns: number;
}

export function mismatchesOf(truth: GroupTruth | null, credits: readonly (readonly number[])[]): Mismatches {
  const places: TurnSelection[] = [];
  let [decided, turns] = [0, 0];
  for (const [member, row] of credits.entries()) {
    for (const [turn, credit] of row.entries()) {
      const at = turnTruth(truth, { member, turn });
      turns += 1;
      if (at !== null && isDecided(at)) decided += 1;
      if (isMismatch(at, credit)) places.push({ member, turn });
    }
  }
  return { places, decided, turns };
}

export interface Punished {
  /** Questions whose skill is certainly above zero. */
  readonly good: number;
  /** Those of them that are paid less than zero. */
  readonly punished: number;
}

/** Of one group, whatever their number: a turn that somebody answers in words is a question. */
export function punishedQuestions({ members }: GroupRecord, truth: GroupTruth | null, credits: readonly (readonly number[])[]): Punished {
  const good = members.flatMap(({ turns }, member) => turns.flatMap(({ observation }, turn) => {
    const at = turnTruth(truth, { member, turn });
    return observation.kind === "user" && at !== null && isDecided(at) && at.skill > 0 ? [isWrongSign(at, credits[member]?.[turn] ?? 0)] : [];
  }));
  return { good: good.length, punished: good.filter((isPunished) => isPunished).length };
}

/** The first behind a turn, in reading order; round to the first of all. */
export function nextMismatch({ places }: Mismatches, after: TurnSelection | null): TurnSelection | null {
  const behind = ({ member, turn }: TurnSelection): boolean => after === null || member > after.member || (member === after.member && turn > after.turn);
  return places.find(behind) ?? places[0] ?? null;
}

export interface Ledger {
  readonly start: number;
  /** Of all credits. */
  readonly sum: number;
  readonly outcome: 0 | 1;
  /** start + sum − outcome; truth's, skill and luck together, is zero by construction. */
  readonly gap: number;
}

/** Null without a start value. */
export function ledgerOf(truth: MemberTruthRecord | null | undefined, success: boolean, credits: readonly number[]): Ledger | null {
  if (truth === null || truth === undefined) return null;
  const outcome = success ? 1 : 0;
  const sum = credits.reduce((total, credit) => total + credit, 0);
  return { start: truth.start, sum, outcome, gap: truth.start + sum - outcome };
}

/** Skill and luck of every turn: what makes truth's ledger close. */
export const truthCredits = ({ turns }: MemberTruthRecord): readonly number[] => turns.flatMap(({ skill, luck }) => [skill, luck]);

export interface BoardScale {
  /** Drawn value that fills half of a strip: one for the whole board, never one a row. Luck may go beyond it. */
  readonly limit: number;
  /** What a scheme's credits are drawn times. */
  readonly factor: (id: CreditId) => number;
}

const rms = (values: readonly number[]): number => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / Math.max(1, values.length));
const most = (values: readonly number[]): number => values.reduce((limit, value) => Math.max(limit, Math.abs(value)), 0);

/**
 * equal: every scheme is drawn times the factor that makes its mean square that of skill, so that beside ±1 of flat credit truth can
 * be read; raw: all times 1. Without truth the scheme trained with stands in for it.
 */
export function boardScale(rows: readonly BoardRow[], truth: GroupTruth | null, mode: "equal" | "raw"): BoardScale {
  const turns = truth?.members.flatMap((member) => member?.turns ?? []) ?? [];
  const reference = turns.length > 0 ? rms(turns.map(({ skill }) => skill)) : rms(rows[0]?.credits.flat() ?? []);
  const factors = new Map<CreditId, number>();
  let limit = most(turns.map(({ skill }) => skill));
  for (const { id, credits } of rows) {
    const all = credits.flat();
    const size = rms(all);
    const factor = mode === "raw" || reference === 0 || size === 0 ? 1 : reference / size;
    factors.set(id, factor);
    limit = Math.max(limit, factor * most(all));
  }
  if (turns.length === 0) limit = Math.max(1, limit);
  return { limit: limit === 0 ? 1 : limit, factor: (id) => factors.get(id) ?? 1 };
}

export interface TruthSummary {
  readonly kind: "exact" | "branched" | "mixed";
  /** exact: the largest m, of a V or Q; else the largest half-width of a skill. */
  readonly margin: number;
  /** Fewest worlds a branched turn rests on; 0 where all are exact. */
  readonly worlds: number;
}

/** How truth came about, over some members. */
export function truthSummary(members: readonly (MemberTruthRecord | null)[]): TruthSummary | null {
  const turns = members.flatMap((member) => member?.turns ?? []);
  if (turns.length === 0) return null;
  const branched = turns.filter(({ kind }) => kind === "branched");
  if (branched.length === 0) return { kind: "exact", margin: Math.max(...turns.map(({ unexplored }) => unexplored)), worlds: 0 };
  return {
    kind: branched.length === turns.length ? "branched" : "mixed",
    margin: Math.max(...turns.map(({ halfWidth }) => halfWidth)),
    worlds: Math.min(...branched.map(({ worlds }) => worlds)),
  };
}

export interface Peer extends TurnSelection {
  readonly isSelf: boolean;
}

/** Turns that acted on the same state, the one asked about among them, in reading order. */
export function anchorPeers({ members }: GroupRecord, { member, turn }: TurnSelection): readonly Peer[] {
  const key = members[member]?.turns[turn]?.anchorKey;
  return members.flatMap(({ turns, ending }, other) =>
    ending === "failed" ? [] : turns.flatMap(({ anchorKey }, at) => (anchorKey === key ? [{ member: other, turn: at, isSelf: other === member && at === turn }] : [])));
}

export const isCreditId = (text: string): text is CreditId => Object.hasOwn(CREDIT_ASSIGNERS, text);

/** A scheme with its defaults. */
export const defaultConfig = (id: CreditId): CreditConfig => setPath(PRESETS["refund-desk"], "algorithm.credit", id).algorithm.credit;
