import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compact, fixed, memberName, signed } from "#ui/format.ts";

/** Of every magnitude alike, those just below a power of ten among them. */
const numbers = fc
  .tuple(fc.oneof(fc.double({ min: 1, max: 10, noNaN: true }), fc.double({ min: 9.9, max: 10, noNaN: true })), fc.integer({ min: -300, max: 300 }), fc.boolean())
  .map(([mantissa, exponent, isNegative]) => (isNegative ? -1 : 1) * mantissa * 10 ** exponent);
const near = fc.double({ min: -2, max: 2, noNaN: true });
const read = (text: string): number => Number(text.replaceAll("−", "-"));

describe("compact", () => {
  test("each magnitude has its form", () => {
    expect([compact(0.5), compact(0.00019), compact(-12.3456), compact(1234), compact(0), compact(0.0031), compact(2.5e7)]).toEqual(["0.500", "1.9e−4", "−12.35", "1234", "0", "0.0031", "2.5e7"]);
  });

  test("what rounds up to the next form has that form", () => {
    expect([9.96e-6, 0.000996, 0.00999, 0.99996, 99.996, 999_999.6].map(compact)).toEqual(["1.0e−5", "0.0010", "0.010", "1.00", "100", "1.0e6"]);
  });

  test("it is read back within 5 %, is short, and no mantissa has two digits before the point", () => {
    fc.assert(fc.property(fc.oneof(numbers, near), (value) => {
      const text = compact(value);
      expect(text).toMatch(/^(?:0|−?(?:\d{3,6}|\d{1,2}\.\d\d|0\.\d{3,4}|[1-9]\.\de−?\d{1,3}))$/);
      expect(Math.abs(read(text) - value)).toBeLessThanOrEqual(0.0501 * Math.abs(value));
    }), { numRuns: 2000 });
  });
});

test("no sign stands before a number that is shown as zero; any other keeps its own", () => {
  expect([signed(0.125), signed(-0.125), signed(0), signed(-0)]).toEqual(["+0.13", "−0.13", "0.00", "0.00"]);
  expect([signed(-0.0003, 3), signed(0.0003, 3), signed(-0.0006, 3)]).toEqual(["0.000", "0.000", "−0.001"]);
  fc.assert(fc.property(fc.oneof(numbers, near), fc.integer({ min: 0, max: 4 }), (value, digits) => {
    for (const text of [signed(value, digits), fixed(value, digits)]) expect(text.startsWith("−")).toBe(value < 0 && read(text) !== 0);
    expect(signed(value, digits).startsWith("+")).toBe(value > 0 && read(signed(value, digits)) !== 0);
  }));
});

test("members of a group have letters, and there is always another one", () => {
  expect([memberName(0), memberName(25), memberName(26)]).toEqual(["A", "Z", "A2"]);
});
