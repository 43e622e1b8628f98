import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { CreditStrip } from "#ui/board/credit-strip.tsx";
import { compact, memberName, signed } from "#ui/format.ts";

const drawn = (credit: number, scale = 2): string => renderToStaticMarkup(<CreditStrip credit={credit} scale={scale} />);
const bar = (markup: string): Readonly<Record<string, number>> => {
  const [, x, y, width] = /<rect class="\w+" x="([\d.]+)%" y="([\d.]+)" width="([\d.]+)%"/.exec(markup) ?? [];
  return { x: Number(x), y: Number(y), width: Number(width) };
};

test("what helped goes up and right, in the positive fill, with a plus", () => {
  const markup = drawn(1);
  expect(markup).toContain('<rect class="pos"');
  expect(markup).not.toContain('class="neg"');
  expect(bar(markup)).toEqual({ x: 50, y: 1, width: 24.5 });
  expect(markup).toContain("<b>+1.00</b>");
});

test("what hurt goes down and left, hatched, with a minus", () => {
  const markup = drawn(-2);
  expect(markup).toContain('<rect class="neg"');
  expect(bar(markup)).toEqual({ x: 1, y: 7.5, width: 49 });
  expect(markup).toContain("<b>−2.00</b>");
});

test("no credit is a ring and no bar; a small credit is still a bar; none outgrows the strip", () => {
  expect(drawn(0)).not.toContain("<rect");
  expect(drawn(0)).toContain('<circle class="zero"');
  expect(bar(drawn(0.0001)).width).toBe(3);
  expect(bar(drawn(9)).width).toBe(49);
});

test("numbers keep their width and their sign", () => {
  expect([signed(0.125), signed(-0.125), signed(0), signed(-0)]).toEqual(["+0.13", "−0.13", "0.00", "0.00"]);
  expect([compact(0.5), compact(0.00019), compact(-12.3456), compact(1234), compact(0)]).toEqual(["0.500", "1.9e−4", "−12.35", "1234", "0"]);
  expect([memberName(0), memberName(25), memberName(26)]).toEqual(["A", "Z", "A2"]);
});
