import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { prerender } from "#ui/prerender.tsx";

const markup = await prerender(JSON.parse(readFileSync("public/recordings/refund-desk.json", "utf8")));

test("the page without any script has the question, the recorded group and one primary action", () => {
  expect(markup).toContain("Four attempts. Two worked.");
  expect(markup).toContain("Which turn deserves the credit?");
  expect(markup.match(/data-cell="/g)).toHaveLength(4 + 3 + 4 + 8);
  expect(markup.match(/btn-primary/g)).toHaveLength(1);
});

test("truth and flat credit stand side by side before any script, with what they disagree about", () => {
  expect(markup).toMatch(/aria-label="D, turn 2: Ask; skill \+0\.16, luck \+0\.01; Flat GRPO −1\.00, sign differs from truth"/);
  expect(markup).toContain("D asked the right question and lost anyway. Flat credit punishes the question.");
  expect(markup).toMatch(/1 of 12 signs wrong/);
});

test("it holds nothing that the content security policy would refuse", () => {
  expect(markup).not.toMatch(/\sstyle="/);
  expect(markup).not.toContain("<script");
  expect(markup).not.toContain("<style");
});
