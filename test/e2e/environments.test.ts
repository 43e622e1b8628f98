import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { PRESETS } from "#run/run-config.ts";
import { axeFindings, expectNothingClipped, openApp, ownBrowser } from "./page.ts";

/** What the workbench promises holds in every environment of the built page: truth, meters, forks, the inspector. */

const browser = ownBrowser();

/** One preset of each environment. */
const PRESET_OF = new Map(Object.values(PRESETS).toReversed().map(({ environment, preset }) => [environment.id, preset]));
const SHORT = "updates=6&evaluation.every=6&evaluation.tasks=8&evaluation.trials=2";

async function runAndPause(preset: string, viewport: { readonly width: number; readonly height: number }): Promise<{ readonly page: Page; readonly faults: readonly string[] }> {
  const { page, faults } = await openApp(browser(), `#/play?v=1&p=${preset}&${SHORT}&s=3`, { viewport, hasTouch: viewport.width < 760 });
  await page.waitForFunction((wanted) => [...document.querySelectorAll("select")].some(({ value }) => value === wanted), preset);
  await page.getByRole("button", { name: /^Run/ }).first().click();
  await page.waitForFunction(() => (document.querySelector("progress")?.value ?? 0) >= 2, undefined, { timeout: 90_000 });
  await page.keyboard.press("Space");
  await page.locator(".readout", { hasText: /paused|finished/ }).waitFor({ state: "attached" });
  return { page, faults };
}

const number = /[+−]?\d\.\d\d/;

test.each([...PRESET_OF])("%s: truth, meters, forks and the inspector answer after a few updates", async (id, preset) => {
  const { page, faults } = await runAndPause(preset, { width: 1440, height: 900 });
  // Truth comes with how it came about, and each turn has a number of it beside the scheme's.
  await page.locator(".truth-note", { hasText: /exact ±|K = \d+, ±/ }).waitFor({ timeout: 60_000 });
  const turns = await page.locator(".grid [data-cell]").count();
  expect(await page.locator(".grid .strip.is-truth").filter({ hasText: number }).count()).toBe(turns);
  expect(await page.locator(".grid .strip:not(.is-truth, .ledger)").filter({ hasText: number }).count()).toBe(turns);
  await page.locator(".ledger", { hasText: "closes" }).first().waitFor();

  // A meter has a number, or says what it lacks; of questions there is one only where somebody can be asked.
  const meters = id === "refund-desk" ? 3 : 2;
  await expect.poll(() => page.locator(".meters dd").allInnerTexts(), { timeout: 60_000 }).toSatisfy((told: readonly string[]) => told.length === meters && told.every((text) => /\d/.test(text)));

  // Every attempt of a group of eight is in sight, and nothing is cut but the columns that scroll.
  if (await page.locator(".grid tbody tr").count() === 8) {
    const { scrolled, shown } = await page.locator(".board-scroll").evaluate(({ scrollHeight, clientHeight }) => ({ scrolled: scrollHeight, shown: clientHeight }));
    // A bar below the columns takes some pixels.
    expect(scrolled - shown).toBeLessThanOrEqual(id === "sokoban" ? 16 : 0);
  }
  const cost = page.locator(".foot-line .cost");
  if (await cost.count() > 0) expect(await cost.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThanOrEqual(0);
  await expectNothingClipped(page);
  expect(await axeFindings(page)).toEqual([]);

  // The inspector: what was seen, chosen, came back, and the hidden state under a name of its own.
  await page.locator('[data-cell="0:0"]').click();
  const why = page.locator(".why");
  await why.getByText("What came back").waitFor();
  await why.locator(".filled").first().waitFor();
  expect(await why.locator(".credit-line .strip-num").first().innerText()).toMatch(number);
  const state = { "refund-desk": "Database", sokoban: "Board", "js-sandbox": "Program" }[id];
  await why.getByRole("tab", { name: state }).click();
  await why.locator(".diff-summary").waitFor();
  await why.getByRole("tab", { name: "Sequence" }).click();
  await why.getByRole("tab", { name: "Turn", exact: true }).click();

  // The same choice 64 times, and its share with an interval.
  await page.locator('[data-cell="0:0"]').focus();
  await page.keyboard.press("b");
  const say = page.locator(".futures-say");
  await say.waitFor({ timeout: 60_000 });
  expect(await say.innerText()).toMatch(/succeeds \d+ times? of 64: [01]\.\d\d, 95 % interval [01]\.\d\d to [01]\.\d\d/);
  expect(faults).toEqual([]);
  await page.context().close();
});

test.each([...PRESET_OF])("%s on a phone: one trajectory at a time, with its truth, and nothing is clipped", async (_id, preset) => {
  const { page, faults } = await runAndPause(preset, { width: 390, height: 844 });
  await page.locator(".truth-note", { hasText: /exact ±|K = \d+, ±/ }).waitFor({ timeout: 60_000 });
  expect(await page.locator(".phone-strip .is-truth").first().innerText()).toMatch(number);
  await expectNothingClipped(page);
  await page.locator(".why-link").first().click();
  await page.locator(".why .filled").first().waitFor();
  await expectNothingClipped(page);
  expect(await axeFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});
