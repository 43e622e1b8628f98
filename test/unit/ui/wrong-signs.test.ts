import { expect, test } from "vitest";
import type { GroupTruth, TurnTruth } from "#run/assessment.ts";
import { boardRows, defaultConfig, mismatchesOf } from "#store/credit-board.ts";
import { wrongSigns } from "#ui/board/focus/rows.ts";
import { createRng } from "#core/rng.ts";
import { fakeGroup } from "../../fixtures/fake-run.ts";

const group = fakeGroup(4, 4, 0.5, createRng(11));
const of = (skill: number): TurnTruth =>
  ({ skill, luck: 0, halfWidth: 0, value: 0.4, actionValue: 0.4 + skill, probability: 0.5, kind: "exact", worlds: 1, unexplored: 0 });

test("the matrix of one trajectory counts as the board does: what is drawn as zero is neither right nor wrong", () => {
  const skills = group.members.map(({ turns }) => turns.map((_, turn) => of(turn === 0 ? -0.0003 : -0.2)));
  const truth: GroupTruth = { given: "history", form: "full", members: skills.map((turns) => ({ start: 0.4, startHalfWidth: 0, turns })) };
  const credits = group.members.map(({ turns }) => turns.map(() => 1));
  const [row] = boardRows({ ...group, credits: [{ id: "flat", config: defaultConfig("flat"), reward: "verifiable", summed: false, credits }] }, []);
  if (row === undefined) throw new Error("there is a row");
  const rows = [{ id: row.id, config: row.config, row, isExtra: false }];
  const turns = group.members[0]?.turns.length ?? 0;
  expect(wrongSigns({ truth, entry: { update: 1, group } }, 0, rows)).toEqual({ wrong: turns - 1, decided: turns - 1 });
  const only = { ...truth, members: truth.members.map((member, index) => (index === 0 ? member : null)) };
  expect(mismatchesOf(only, credits)).toMatchObject({ decided: turns - 1 });
});
