import { describe, expect, test } from "vitest";
import { mulberry32 } from "#core/mulberry32.ts";
import { wilsonInterval } from "#core/statistics.ts";
import { judgedTurns, MeterBook, type JudgedTurn } from "#trainer/laboratory/meters.ts";
import { scoresOf, type GradientProducts, type GroupUnderScheme } from "#trainer/laboratory/scores.ts";

const turn = (skill: number, credit: number, changes: Partial<JudgedTurn> = {}): JudgedTurn => ({ skill, credit, halfWidth: 0.05, isQuestion: false, ...changes });
const group = (turns: readonly JudgedTurn[], changes: Partial<GroupUnderScheme> = {}): GroupUnderScheme =>
  ({ turns, isMixed: true, extraTokens: 0, extraSteps: 0, trajectories: 8, ...changes });
const many = (count: number, turns: readonly JudgedTurn[]): readonly GroupUnderScheme[] => Array.from({ length: count }, () => group(turns));
const scores = (groups: readonly GroupUnderScheme[], batches: readonly GradientProducts[] = []) => scoresOf(groups, batches, mulberry32(1));

describe("scores of a scheme", () => {
  test("correlation is Pearson's over the turns of mixed groups alone", () => {
    // Credits 1, 2, 4 against skills 0.1, 0.3, 0.2: products of deviations sum to 0.1, squares to 14/3 and 0.02, so r = 1/√(28/3).
    const mixed = [group([turn(0.1, 1), turn(0.3, 2)]), group([turn(0.2, 4)])];
    const uniform = group([turn(5, -100), turn(-5, 100)], { isMixed: false });
    expect(scores([...mixed, uniform]).correlation.value).toBeCloseTo(0.327327, 5);
    expect(scores(many(3, [turn(0.1, 2), turn(-0.3, -6)])).correlation.value).toBeCloseTo(1, 9);
    expect(scores(many(3, [turn(0.1, -2), turn(-0.3, 6)])).correlation.value).toBeCloseTo(-1, 9);
    // A scheme that pays all alike has no correlation rather than one of rounding.
    expect(scores(many(3, [turn(0.1, 0.7), turn(0.2, 0.7)])).correlation).toEqual({ value: null, interval: null });
  });

  test("the interval is over groups: none where all groups are alike, wide where few differ", () => {
    const same = scores(many(12, [turn(0.1, 1), turn(-0.1, 1), turn(0.2, 2)])).correlation;
    expect(same.interval?.[0]).toBeCloseTo(same.value ?? 0, 9);
    expect(same.interval?.[1]).toBeCloseTo(same.value ?? 0, 9);
    const differing = [...many(6, [turn(0.1, 1), turn(0.2, -1)]), ...many(6, [turn(0.1, -1), turn(0.2, 1)])];
    const [low = 0, high = 0] = scores(differing).correlation.interval ?? [];
    expect(low).toBeLessThan(-0.3);
    expect(high).toBeGreaterThan(0.3);
  });

  test("signs are counted where the interval excludes zero; a credit of zero does not agree", () => {
    const turns = [turn(0.1, 1), turn(0.1, -1), turn(-0.1, -2), turn(-0.1, 0), turn(0.04, -1)];
    expect(scores(many(5, turns)).signAgreement).toMatchObject({ value: 0.5, count: 20 });
  });

  test("a share of fewer than 20 is none, and says of how many", () => {
    const question = { isQuestion: true };
    const turns = [turn(0.1, -1, question), turn(0.1, 1, question), turn(0.1, 0, question), turn(-0.1, -1, question), turn(0.02, -1, question), turn(0.1, -1)];
    expect(scores(many(6, turns)).goodQuestionsPunished).toEqual({ value: null, interval: null, count: 18 });
    const { value, count, interval } = scores(many(7, turns)).goodQuestionsPunished;
    expect({ value, count }).toEqual({ value: 1 / 3, count: 21 });
    expect(interval).not.toBeNull();
  });

  test("the cosine is that of the summed gradients of a batch, mean over batches", () => {
    // Two groups in the plane: under the scheme (1, 0) and (0, 1), under skill (1, 0) and (0, 0).
    const products: GradientProducts = { groups: 2, scheme: Float64Array.of(1, 0, 0, 1), cross: Float64Array.of(1, 0, 0, 0), skill: Float64Array.of(1, 0, 0, 0) };
    const opposite: GradientProducts = { groups: 1, scheme: Float64Array.of(4), cross: Float64Array.of(-2), skill: Float64Array.of(1) };
    expect(scores([group([])], [products]).gradientCosine.value).toBeCloseTo(Math.SQRT1_2, 9);
    expect(scores([group([])], [products, opposite]).gradientCosine.value).toBeCloseTo((Math.SQRT1_2 - 1) / 2, 9);
    const nothing: GradientProducts = { groups: 1, scheme: Float64Array.of(0), cross: Float64Array.of(0), skill: Float64Array.of(1) };
    expect(scores([group([])], [nothing]).gradientCosine).toEqual({ value: null, interval: null });
  });

  test("extra tokens are per trajectory", () => {
    const groups = [group([], { extraTokens: 80, extraSteps: 16 }), group([], { extraTokens: 40, trajectories: 4 })];
    expect(scores(groups)).toMatchObject({ extraTokens: { value: 10 }, extraSteps: 16 / 12 });
  });
});

describe("meters", () => {
  const entry = (turns: readonly JudgedTurn[], gradient: readonly number[] | null = null, skill: readonly number[] | null = null) =>
    ({ turns, gradient: gradient && Float32Array.from(gradient), skillGradient: skill && Float32Array.from(skill) });

  test("count over the newest groups, each once, the last time it was looked at", () => {
    const book = new MeterBook();
    const wrong = Array.from({ length: 10 }, () => turn(0.1, -1));
    book.enter("a", entry(wrong));
    expect(book.read().wrongSign).toEqual({ share: null, count: 10 });
    book.enter("b", entry(Array.from({ length: 10 }, () => turn(0.1, 1))));
    expect(book.read().wrongSign).toEqual({ share: 0.5, count: 20 });
    book.enter("a", entry([...wrong, ...wrong]));
    expect(book.read().wrongSign).toEqual({ share: 2 / 3, count: 30 });
    // What the board draws as zero has no sign to be wrong.
    book.enter("a", entry([...wrong, ...wrong, turn(0.004, -1, { halfWidth: 0 })]));
    expect(book.read().wrongSign).toEqual({ share: 2 / 3, count: 30 });
    for (let other = 0; other < 24; other += 1) book.enter(`later ${other}`, entry([turn(0.1, 1)]));
    expect(book.read().wrongSign).toEqual({ share: 0, count: 24 });
  });

  test("the cosine is that of the gradients summed over groups", () => {
    const book = new MeterBook();
    expect(book.read().gradientCosine).toBeNull();
    book.enter("a", entry([], [1, 0], [1, 0]));
    book.enter("b", entry([], null, [0, 1]));
    expect(book.read().gradientCosine).toBeCloseTo(Math.SQRT1_2, 6);
    book.enter("c", entry([], [-2, 0], null));
    expect(book.read().gradientCosine).toBeCloseTo(-Math.SQRT1_2, 6);
  });

  test("turns of a truth meet their credits; a failed rollout has none", () => {
    const label = { skill: 0.2, luck: 0, halfWidth: 0.1, value: 0, actionValue: 0, probability: 1, kind: "exact", worlds: 1, unexplored: 0 } as const;
    const truth = { given: "history", form: "full", members: [null, { start: 0, startHalfWidth: 0, turns: [label, { ...label, skill: -0.2 }] }] } as const;
    expect(judgedTurns(truth, [[], [3, 4]], (member, at) => member === 1 && at === 1)).toEqual([
      { skill: 0.2, halfWidth: 0.1, credit: 3, isQuestion: false }, { skill: -0.2, halfWidth: 0.1, credit: 4, isQuestion: true },
    ]);
  });
});

test("Wilson's interval: textbook values, and never closed up", () => {
  // Newcombe (1998), table I, method 3.
  const [low, high] = wilsonInterval(81, 263);
  expect(low).toBeCloseTo(0.2553, 4);
  expect(high).toBeCloseTo(0.3662, 4);
  const [none, some] = wilsonInterval(0, 20);
  expect(none).toBe(0);
  expect(some).toBeCloseTo(0.1611, 4);
  expect(wilsonInterval(29, 29)[0]).toBeCloseTo(0.8830, 4);
  expect(() => wilsonInterval(0, 0)).toThrow(RangeError);
  expect(() => wilsonInterval(3, 2)).toThrow("3 successes in 2 trials");
});
