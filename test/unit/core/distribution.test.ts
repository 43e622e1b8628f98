import fc from "fast-check";
import { expect, test } from "vitest";
import { legalEntropy, legalKl, legalLogNormaliser, logitGradient } from "#core/distribution.ts";

interface Row {
  readonly logits: readonly number[];
  readonly reference: readonly number[];
  readonly legal: readonly boolean[];
}

/** Rows with at least two legal tokens. */
const rowOf = fc.integer({ min: 2, max: 9 }).chain((size): fc.Arbitrary<Row> => {
  const logit = fc.double({ min: -6, max: 6, noNaN: true });
  const list = fc.array(logit, { minLength: size, maxLength: size });
  return fc.record({ logits: list, reference: list, legal: fc.array(fc.boolean(), { minLength: size, maxLength: size }) })
    .map((row) => ({ ...row, legal: row.legal.map((legal, token) => legal || token < 2) }));
});

/** Straight from the definitions, with Math and without a shift. */
function naive({ logits, reference, legal }: Row): { p: number[]; normaliser: number; entropy: number; kl: number } {
  const softmax = (values: readonly number[]): number[] => {
    const weights = values.map((value, token) => (legal[token] ? Math.exp(value) : 0));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => weight / sum);
  };
  const [p, q] = [softmax(logits), softmax(reference)];
  const sum = (term: (p: number, q: number) => number): number =>
    p.reduce((total, value, token) => total + (legal[token] ? term(value, q[token] as number) : 0), 0);
  return {
    p,
    normaliser: Math.log(logits.reduce((total, value, token) => total + (legal[token] ? Math.exp(value) : 0), 0)),
    entropy: -sum((value) => value * Math.log(value)),
    kl: sum((value, other) => value * Math.log(value / other)),
  };
}

function ours({ logits, reference, legal }: Row, offset = 0): { normaliser: number; referenceNormaliser: number; entropy: number; kl: number } {
  const isLegal = (token: number): boolean => legal[token] as boolean;
  const size = legal.length;
  const normaliser = legalLogNormaliser(logits, offset, size, isLegal);
  const referenceNormaliser = legalLogNormaliser(reference, offset, size, isLegal);
  return {
    normaliser, referenceNormaliser,
    entropy: legalEntropy(logits, offset, size, isLegal, normaliser),
    kl: legalKl(logits, reference, offset, size, isLegal, normaliser, referenceNormaliser),
  };
}

test("agrees with the definitions", () => {
  fc.assert(fc.property(rowOf, (row) => {
    const [got, expected] = [ours(row), naive(row)];
    expect(got.normaliser).toBeCloseTo(expected.normaliser, 10);
    expect(got.entropy).toBeCloseTo(expected.entropy, 10);
    expect(got.kl).toBeCloseTo(expected.kl, 10);
    expect(got.kl).toBeGreaterThan(-1e-12);
  }));
});

test("what stands at illegal tokens, before and behind the row is never read", () => {
  fc.assert(fc.property(rowOf, fc.constantFrom(1e300, -1e300, Infinity, NaN), (row, garbage) => {
    const padded = (values: readonly number[]): number[] => [garbage, garbage, ...values.map((value, token) => (row.legal[token] ? value : garbage)), garbage];
    expect(ours({ logits: padded(row.logits), reference: padded(row.reference), legal: row.legal }, 2)).toEqual(ours(row));
  }));
});

test("a constant added to all logits changes only the normaliser", () => {
  fc.assert(fc.property(rowOf, fc.double({ min: -500, max: 500, noNaN: true }), (row, shift) => {
    const [plain, moved] = [ours(row), ours({ ...row, logits: row.logits.map((value) => value + shift) })];
    expect(moved.normaliser).toBeCloseTo(plain.normaliser + shift, 8);
    expect(moved.entropy).toBeCloseTo(plain.entropy, 8);
    expect(moved.kl).toBeCloseTo(plain.kl, 8);
  }));
});

test("edges", () => {
  const all = (): boolean => true;
  expect(legalLogNormaliser([1, 2], 0, 2, () => false)).toBe(-Infinity);
  expect(legalEntropy([1, 2], 0, 2, () => false, -Infinity)).toBe(0);
  expect(legalLogNormaliser([-Infinity, 3], 0, 2, all)).toBe(3);
  expect(legalEntropy([-Infinity, 3], 0, 2, all, 3)).toBe(0);
  expect(legalEntropy([5, 5], 0, 2, all, legalLogNormaliser([5, 5], 0, 2, all))).toBeCloseTo(Math.LN2, 14);
  expect(legalKl([0, 0], [0, -Infinity], 0, 2, all, Math.LN2, 0)).toBe(Infinity);
  expect(legalKl([-Infinity, 0], [-Infinity, 0], 0, 2, all, 0, 0)).toBe(0);
  expect(legalLogNormaliser([NaN, 0], 0, 2, all)).toBeNaN();
});

test("the gradient of each term equals central differences", () => {
  fc.assert(fc.property(rowOf, fc.tuple(...[0, 1, 2].map(() => fc.double({ min: -2, max: 2, noNaN: true }))), (row, [dLogprob, dEntropy, dKl]) => {
    const chosen = 1;
    const coefficients = { dLogprob: dLogprob as number, dEntropy: dEntropy as number, dKl: dKl as number };
    const loss = (logits: readonly number[]): number => {
      const { p, entropy, kl } = naive({ ...row, logits });
      return coefficients.dLogprob * Math.log(p[chosen] as number) + coefficients.dEntropy * entropy + coefficients.dKl * kl;
    };
    const { normaliser, referenceNormaliser, entropy, kl } = ours(row);
    for (const [token, logit] of row.logits.entries()) {
      if (!row.legal[token]) continue;
      const step = 1e-5;
      const moved = (by: number): number[] => row.logits.map((value, index) => (index === token ? value + by : value));
      const difference = (loss(moved(step)) - loss(moved(-step))) / (2 * step);
      const got = logitGradient(
        logit - normaliser, token === chosen ? 1 : 0, (row.reference[token] as number) - referenceNormaliser, { ...coefficients, entropy, kl },
      );
      expect(Math.abs(got - difference)).toBeLessThan(1e-7);
    }
  }));
});

test("an impossible token does not move, whatever the reference says of it", () => {
  const row = { dLogprob: 1, entropy: 0.5, dEntropy: 1, kl: 0.1, dKl: 1 };
  expect(logitGradient(-Infinity, 0, -Infinity, row)).toBe(0);
  expect(logitGradient(-1e9, 0, -3, row)).toBe(0);
  expect(logitGradient(-1, 0, NaN, { ...row, dKl: 0 })).not.toBeNaN();
});

test("a KL penalty pulls towards the reference, an entropy bonus away from certainty", () => {
  fc.assert(fc.property(rowOf, (row) => {
    const before = ours(row);
    fc.pre(before.kl > 1e-3);
    const stepped = (dKl: number, dEntropy: number): Row => ({
      ...row,
      logits: row.logits.map((logit, token) => (row.legal[token]
        ? logit - 1e-4 * logitGradient(
          logit - before.normaliser, 0, (row.reference[token] as number) - before.referenceNormaliser,
          { dLogprob: 0, entropy: before.entropy, dEntropy, kl: before.kl, dKl },
        )
        : logit)),
    });
    expect(ours(stepped(1, 0)).kl).toBeLessThan(before.kl + 1e-13);
    expect(ours(stepped(0, -1)).entropy).toBeGreaterThan(before.entropy - 1e-13);
  }));
});
