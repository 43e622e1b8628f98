import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import type { TurnTruth } from "#run/assessment.ts";
import { CreditStrip, SkillStrip } from "#ui/board/credit-strip.tsx";
import { LedgerStrip } from "#ui/board/ledger.tsx";

const drawn = (credit: number, limit = 2, factor = 1): string => renderToStaticMarkup(<CreditStrip credit={credit} factor={factor} limit={limit} />);
const bar = (markup: string): Readonly<Record<string, number>> => {
  const [, x, y, width] = /<rect class="(?:pos|neg)" x="([\d.]+)%" y="([\d.]+)%" width="([\d.]+)%"/.exec(markup) ?? [];
  return { x: Number(x), y: Number(y), width: Number(width) };
};

test("what helped goes up and right, in the positive fill, with a plus", () => {
  const markup = drawn(1);
  expect(markup).toContain('<rect class="pos"');
  expect(markup).not.toContain('class="neg"');
  expect(bar(markup)).toEqual({ x: 50, y: 10, width: 24.5 });
  expect(markup).toContain("<b>+1.00</b>");
});

test("what hurt goes down and left, hatched, with a minus", () => {
  const markup = drawn(-2);
  expect(markup).toContain('<rect class="neg"');
  expect(bar(markup)).toEqual({ x: 1, y: 52, width: 49 });
  expect(markup).toContain("<b>−2.00</b>");
});

test("no credit is a ring and no bar; a small credit is still a bar; none outgrows the strip", () => {
  expect(drawn(0)).not.toContain("<rect");
  expect(drawn(0)).toContain('<circle class="zero"');
  expect(bar(drawn(0.0001)).width).toBe(3);
  expect(bar(drawn(9)).width).toBe(49);
});

test("a factor stretches the bar and leaves the number", () => {
  expect(bar(drawn(1, 2, 0.5)).width).toBe(12.25);
  expect(drawn(1, 2, 0.5)).toContain("<b>+1.00</b>");
});

describe("truth", () => {
  const turn = (skill: number, halfWidth: number, luck = 0): TurnTruth => ({
    skill, halfWidth, luck, value: 0.4, actionValue: 0.4 + skill, probability: 0.5, kind: "branched", worlds: 64, unexplored: 0.3,
  });
  const truth = (skill: number, halfWidth: number, luck = 0): string => renderToStaticMarkup(<SkillStrip truth={turn(skill, halfWidth, luck)} limit={1} />);

  test("skill is solid, luck an outline on its own side, the interval a whisker", () => {
    const markup = truth(0.4, 0.1, -0.5);
    expect(bar(markup)).toEqual({ x: 50, y: 10, width: 19.6 });
    expect(markup).toContain('<g class="luck is-down"><line x1="50%" x2="25.5%"');
    expect(markup).toMatch(/class="whisker"><line x1="64.7%" x2="74.5%"/);
  });

  test("luck beyond the strip is drawn open at its end", () => {
    const lines = (luck: number) => /<g class="luck is-up">(.*?)<\/g>/.exec(truth(0.4, 0, luck))?.[1]?.match(/<line/g)?.length;
    expect(lines(0.9)).toBe(3);
    expect(lines(1.1)).toBe(2);
  });

  test("where the interval crosses zero no sign is drawn: a diamond in place of a bar", () => {
    const markup = truth(0.4, 0.5);
    expect(bar(markup).width).toBeNaN();
    expect(markup).toContain('class="unsure"');
    expect(markup).not.toMatch(/class="g (?:pos|neg)"/);
    expect(markup).toContain("<b>+0.40</b>");
  });

  test("what rounds to nothing is nothing, not something uncertain", () => {
    expect(truth(0.001, 0.002)).toContain('<circle class="zero"');
    expect(truth(0.001, 0.002)).not.toContain("unsure");
    expect(truth(-0.0003, 0)).toContain('<circle class="zero"');
    expect(truth(-0.0003, 0)).toContain("<b>0.00</b>");
  });
});

test("a ledger closes or shows its gap, in words as well", () => {
  const ledger = (sum: number) => renderToStaticMarkup(<LedgerStrip ledger={{ start: 0.4, sum, outcome: 1, gap: 0.4 + sum - 1 }} />);
  expect(ledger(0.6)).toContain(">closes</b>");
  expect(ledger(0.6)).not.toContain("ledger-gap");
  expect(ledger(2)).toContain(">+1.40</b>");
  expect(ledger(2)).toContain("start 0.40 and credits +2.00 make 2.40, the outcome is 1: a gap of +1.40");
});
