import { LinkError } from "#core/errors.ts";
import { ARITHMETICS } from "#core/policy.ts";
import { REWARD_SOURCES, type RewardConfig } from "#algorithms/rewards/registry.ts";
import type { CreditRow, GroupTruth, TurnTruth } from "#run/assessment.ts";
import { MOST_TRAJECTORIES, type Evidence, type EvidenceMark, type RecordedMember, type RecordedTrajectories } from "#run/evidence.ts";
import { markUpdates } from "#run/fingerprint.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { packBytes, unpackBytes } from "./link-pack.ts";
import { applySettings, settingsFrom } from "./link-settings.ts";

/** Of what this page writes. A reader of a later version keeps the branches for all earlier ones. 2: the whole group's rewards, with its trajectories. */
const VERSION = 2;
/** The order is part of the format, that of ARITHMETICS too: only ever added to. */
const GIVEN: readonly GroupTruth["given"][] = ["history", "state"];
const FORMS: readonly GroupTruth["form"][] = ["quick", "full"];

/** Credits, rewards and truth are told to a thousandth, log-probabilities to a 64th, shares of successes to a 200th. */
const CREDIT = 0.001;
const LOGPROB = 1 / 64;
const SUCCESS = 1 / 200;
/** Of a whole trajectory: finer than credit, so that a formula over the group comes to the credit that was paid. */
const REWARD = 1e-5;

/** Most of everything, so that no link makes the page hold more than a few thousand numbers. */
const MOST = { update: 5000, round: 10, index: 255, member: 63, turns: 128, tokens: 64, words: 512, wordBytes: 4096, rows: 24, headBytes: 4096, worlds: 1_000_000 } as const;

/** The evidence of a run with these settings, as text for a link. */
export const encodeEvidence = (config: RunConfig, evidence: Evidence): string => packBytes(writeEvidence(config, evidence));

/** @throws LinkError for what cannot be read, or does not belong to a run with these settings */
export const decodeEvidence = (config: RunConfig, text: string): Evidence => readEvidence(config, new ByteReader(unpackBytes(text)));

function writeEvidence(config: RunConfig, { arithmetic, start, update, marks, trajectories }: Evidence): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter();
  out.byte(VERSION);
  out.byte(ARITHMETICS.indexOf(arithmetic));
  out.short(start);
  out.whole(update);
  out.whole(marks.length);
  // Columns, since alike numbers stand together in them.
  for (const { hash } of marks) out.short(hash);
  for (const { success } of marks) out.byte(Math.round(success / SUCCESS));
  for (const { drift } of marks) out.rough(drift);
  out.byte(trajectories === null ? 0 : 1);
  if (trajectories !== null) writeTrajectories(out, config, trajectories);
  return out.done();
}

function readEvidence(config: RunConfig, from: ByteReader): Evidence {
  const version = from.byte();
  if (version < 1 || version > VERSION) throw new LinkError(`the evidence is of version ${version}; this page reads versions 1 to ${VERSION}`, { fault: "evidence-version" });
  const arithmetic = among(ARITHMETICS, from.byte(), "an arithmetic");
  const start = from.short();
  const update = from.whole(config.updates, "that the run came to update");
  const updates = markUpdates(config.updates).filter((at) => at <= update);
  const count = from.whole(updates.length, "a number of marks");
  const hashes = Array.from({ length: count }, () => from.short());
  const successes = Array.from({ length: count }, () => Math.min(1, from.byte() * SUCCESS));
  const marks = updates.slice(0, count).map((at, index): EvidenceMark => ({ update: at, hash: hashes[index] ?? 0, success: successes[index] ?? 0, drift: from.rough() }));
  const trajectories = from.byte() === 0 ? null : readTrajectories(from, config, version);
  from.end();
  return { arithmetic, start, update, marks, trajectories };
}

function among<T>(values: readonly T[], index: number, what: string): T {
  const value = values[index];
  if (value === undefined) throw new LinkError(`the evidence names ${what} that is not known here`, { fault: "evidence-range" });
  return value;
}

function writeTrajectories(out: ByteWriter, config: RunConfig, { update, round, index, members, rewards = [], rows, truth }: RecordedTrajectories): void {
  out.whole(update);
  out.whole(round);
  out.whole(index);
  const turns = members.flatMap((member) => member.turns);
  const words = [...new Set(turns.flatMap((turn) => turn.words))];
  const places = new Map(words.map((word, place) => [word, place]));
  // Words, not numbers of words: a vocabulary may grow.
  out.text(words.join("\n"));
  out.whole(members.length);
  for (const { member } of members) out.whole(member);
  for (const member of members) out.whole(member.turns.length);
  for (const turn of turns) out.whole(turn.words.length);
  for (const word of turns.flatMap((turn) => turn.words)) out.whole(places.get(word) ?? 0);
  for (const logprob of turns.flatMap((turn) => turn.logprobs)) out.whole(-logprob / LOGPROB);
  for (const { reward } of turns) out.quantised(reward, CREDIT);
  out.text(rows.map((row) => rowHead(config, row)).join("\n"));
  for (const { credits } of rows) for (const credit of credits.flat()) out.quantised(credit, CREDIT);
  writeTruth(out, truth);
  // None: of a link that was made before they travelled.
  out.whole(rewards.length);
  for (const reward of rewards) out.byte(reward === null ? 0 : 1);
  for (const reward of rewards) if (reward !== null) out.quantised(reward, REWARD);
}

function readTrajectories(from: ByteReader, config: RunConfig, version: number): RecordedTrajectories {
  const update = from.whole(MOST.update, "update");
  const round = from.whole(MOST.round, "round");
  const index = from.whole(MOST.index, "group");
  const words = from.text(MOST.wordBytes, "its words").split("\n");
  if (words.length > MOST.words) throw new LinkError(`the evidence has ${words.length} words; allowed are up to ${MOST.words}`, { fault: "evidence-range" });
  const places = Array.from({ length: from.whole(MOST_TRAJECTORIES, "a number of trajectories") }, () => from.whole(MOST.member, "trajectory"));
  const lengths = places.map(() => from.whole(MOST.turns, "a number of turns"));
  const turnCount = lengths.reduce((sum, length) => sum + length, 0);
  const tokens = Array.from({ length: turnCount }, () => from.whole(MOST.tokens, "a number of tokens"));
  const texts = tokens.map((count) => Array.from({ length: count }, () => words[from.whole(words.length - 1, "word")] ?? ""));
  const logprobs = tokens.map((count) => Array.from({ length: count }, () => 0 - from.whole(0xffff, "a log-probability of") * LOGPROB));
  const flat = texts.map((turn, at) => ({ words: turn, logprobs: logprobs[at] ?? [], reward: from.quantised(CREDIT) }));
  const byMember = <V>(values: readonly V[]): V[][] => {
    let at = 0;
    return lengths.map((length) => values.slice(at, (at += length)));
  };
  const members = byMember(flat).map((turns, at): RecordedMember => ({ member: places[at] ?? 0, turns }));
  const heads = from.text(MOST.headBytes, "its schemes").split("\n").filter((head) => head !== "");
  if (heads.length > MOST.rows) throw new LinkError(`the evidence has ${heads.length} schemes; allowed are up to ${MOST.rows}`, { fault: "evidence-range" });
  const credits = heads.map(() => byMember(Array.from({ length: turnCount }, () => from.quantised(CREDIT))));
  // A scheme that is not known here is passed over: the others stand.
  const rows = heads.flatMap((head, at) => readRow(config, head, credits[at] ?? []));
  const truth = readTruth(from, members);
  const rewards = version < 2 ? [] : readRewards(from);
  return { update, round, index, members, ...(rewards.length === 0 ? {} : { rewards }), rows, truth };
}

function readRewards(from: ByteReader): readonly (number | null)[] {
  const isKnown = Array.from({ length: from.whole(MOST.member + 1, "a number of rewards") }, () => from.byte() !== 0);
  return isKnown.map((yes) => (yes ? from.quantised(REWARD) : null));
}

/** Id, where the rewards came from, whether tokens are summed, and the settings other than its defaults: "gigpo verifiable - gamma=1". */
function rowHead(config: RunConfig, { id, config: credit, reward, summed }: CreditRow): string {
  const base = crediting(config, id);
  const settings = base === null ? [] : settingsFrom(base, { ...base, algorithm: { ...base.algorithm, credit } });
  return [id, reward, summed ? "+" : "-", ...settings.map(([path, text]) => `${path.split(".").at(-1)}=${text}`)].join(" ");
}

function readRow(config: RunConfig, head: string, credits: readonly (readonly number[])[]): readonly CreditRow[] {
  const [id = "", reward = "", summed, ...settings] = head.split(" ");
  const base = crediting(config, id);
  if (base === null || !isReward(reward)) return [];
  const parameters = settings.map((setting) => setting.split("=")).map(([key = "", text = ""]) => [`algorithm.credit.${key}`, text] as const);
  const { credit } = applySettings(base, parameters).config.algorithm;
  return [{ id: credit.id, config: credit, reward, summed: summed === "+", credits }];
}

/** The settings with a scheme in its defaults; null where there is no such scheme. */
function crediting(config: RunConfig, id: string): RunConfig | null {
  const { config: applied, notes } = applySettings(PRESETS[config.preset], [["algorithm.credit", id]]);
  const { credit } = applied.algorithm;
  return credit.id === id && notes.every(({ kind }) => kind === "conflict") ? applied : null;
}

const isReward = (text: string): text is RewardConfig["id"] => Object.hasOwn(REWARD_SOURCES, text);

function writeTruth(out: ByteWriter, truth: GroupTruth | null): void {
  out.byte(truth === null ? 0 : 1);
  if (truth === null) return;
  out.byte(GIVEN.indexOf(truth.given));
  out.byte(FORMS.indexOf(truth.form));
  for (const member of truth.members) out.byte(member === null ? 0 : 1);
  const known = truth.members.filter((member) => member !== null);
  for (const { start } of known) out.quantised(start, CREDIT);
  for (const { startHalfWidth } of known) out.quantised(startHalfWidth, CREDIT);
  const turns = known.flatMap((member) => member.turns);
  for (const { skill } of turns) out.quantised(skill, CREDIT);
  for (const { luck } of turns) out.quantised(luck, CREDIT);
  for (const { halfWidth } of turns) out.quantised(halfWidth, CREDIT);
  for (const { unexplored } of turns) out.quantised(unexplored, CREDIT);
  for (const { probability } of turns) out.quantised(probability, CREDIT);
  for (const { kind, worlds } of turns) out.whole(2 * worlds + (kind === "exact" ? 0 : 1));
}

function readTruth(from: ByteReader, members: readonly RecordedMember[]): GroupTruth | null {
  if (from.byte() === 0) return null;
  const given = among(GIVEN, from.byte(), "a kind of truth");
  const form = among(FORMS, from.byte(), "a form of truth");
  const isKnown = members.map(() => from.byte() !== 0);
  const known = members.filter((_, at) => isKnown[at]);
  const starts = known.map(() => from.quantised(CREDIT));
  const halves = known.map(() => from.quantised(CREDIT));
  const column = (): number[][] => known.map(({ turns }) => turns.map(() => from.quantised(CREDIT)));
  const [skills, lucks, widths, unexplored, probabilities] = [column(), column(), column(), column(), column()];
  const worlds = known.map(({ turns }) => turns.map(() => from.whole(2 * MOST.worlds + 1, "a number of worlds")));
  const records = known.map((_, at) => {
    let value = starts[at] ?? 0;
    const turns = (skills[at] ?? []).map((skill, turn): TurnTruth => {
      const luck = lucks[at]?.[turn] ?? 0;
      const [before, code] = [value, worlds[at]?.[turn] ?? 0];
      value += skill + luck;
      return {
        skill, luck, value: before, actionValue: before + skill, halfWidth: widths[at]?.[turn] ?? 0, unexplored: unexplored[at]?.[turn] ?? 0,
        probability: Math.min(1, Math.max(0, probabilities[at]?.[turn] ?? 0)), kind: code % 2 === 0 ? "exact" : "branched", worlds: Math.floor(code / 2),
      };
    });
    return { start: starts[at] ?? 0, startHalfWidth: halves[at] ?? 0, turns };
  });
  let next = 0;
  return { given, form, members: isKnown.map((yes) => (yes ? (records[next++] ?? null) : null)) };
}
