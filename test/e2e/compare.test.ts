import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, test } from "vitest";
import { axeFindings, button, expectNothingClipped, openApp, PATIENCE, readout, ownBrowser } from "./page.ts";

/** The built app with the real trainer and storage: kept runs are chosen, laid over each other, and play the same task. */

const browser = ownBrowser();

const SMALL = "#/play?v=1&p=refund-desk&algorithm.groupSize=4&algorithm.groupsPerUpdate=4&updates=4&evaluation.every=2&evaluation.tasks=24&evaluation.trials=4";

async function trained(page: Page, settings: string): Promise<void> {
  await page.goto(page.url().replace(/#.*/, `${SMALL}${settings}`));
  await page.reload();
  await page.locator(".backend", { hasText: "WASM" }).waitFor({ state: "attached", ...PATIENCE });
  await button(page, /^Run/).first().click();
  await readout(page, "finished").waitFor(PATIENCE);
}

test.each([
  ["desktop, light", { viewport: { width: 1440, height: 900 }, colorScheme: "light" }],
  ["phone, dark", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }],
] as const)("%s: two short runs are compared, by keys: settings, curves, difference, one task in two policies", async (_name, options: BrowserContextOptions) => {
  const { page, faults } = await openApp(browser(), SMALL, options);
  await trained(page, "&s=1");
  await trained(page, "&s=1&algorithm.learningRate=0.005");
  await page.goto(page.url().replace(/#.*/, "#/runs"));
  // Seed 1 is kept already: 2 and 3 are trained, and the three are one entry.
  await page.evaluate(() => {
    // A seed is trained within a moment: what was said meanwhile is written down as it is said.
    const told: string[] = [];
    Object.assign(globalThis, { told });
    new MutationObserver(() => {
      const [now] = /Seed \d, \d of \d/.exec(document.body.textContent ?? "") ?? [];
      if (now !== undefined && told.at(-1) !== now) told.push(now);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await button(page, "Train 2 seeds").focus();
  await page.keyboard.press("Enter");
  await page.locator(".run-group", { hasText: "3 of 3" }).waitFor(PATIENCE);
  expect(await page.evaluate("told")).toEqual(["Seed 2, 1 of 2", "Seed 3, 2 of 2"]);
  expect(await page.locator(".run-group .run-what p").first().innerText()).toMatch(/^seeds 1, 2, 3/);
  expect(await page.locator(".run-list").first().locator(":scope > li").count()).toBe(2);
  expect(await button(page, "Compare").isDisabled()).toBe(true);
  for (const pick of await page.locator(".run-list").first().locator(".compare-pick input:visible").all()) {
    await pick.focus();
    await page.keyboard.press("Space");
  }
  expect(await axeFindings(page)).toEqual([]);
  await expectNothingClipped(page);
  await page.getByRole("link", { name: "Compare 2 runs" }).focus();
  await page.keyboard.press("Enter");

  await page.locator(".compare-settings tbody tr").first().waitFor();
  const settings = await page.locator(".compare-settings tbody tr").allInnerTexts();
  expect(settings.map((row) => row.split("\t")[0])).toEqual(["Seed", "Learning rate"]);
  await page.locator(".compare-curves .end-label").nth(5).waitFor();
  expect(await page.locator(".compare-curves .end-label").allTextContents()).toEqual(expect.arrayContaining([expect.stringMatching(/^A [01]\.\d\d$/), expect.stringMatching(/^B [01]\.\d\d$/)]));
  // A ribbon over seeds in each chart, for the entry that has three.
  expect(await page.locator(".compare-curves .recharts-area").count()).toBe(3);
  const words = await page.locator(".differences b", { hasText: "=" }).innerText();
  expect(words).toMatch(/^B − A = [+−]?\d\.\d\d \[−?\d\.\d\d, −?\d\.\d\d\]: (not separated|A is better|B is better)$/);

  await button(page, "Difference on the same tasks as a table").click();
  const cells = (await page.locator("dialog tbody tr").first().innerText()).split("\t");
  expect(cells[0]).toBe("All");
  const rows = await page.locator("dialog tbody tr").count();
  expect(rows).toBe(25);
  await page.keyboard.press("Escape");

  await page.getByLabel(/^Task, of/).fill("1");
  await page.getByLabel(/^Attempt, of/).focus();
  await page.keyboard.press("Enter");
  await page.locator(".sides-summary", { hasText: "Task 1, attempt 1" }).waitFor(PATIENCE);
  await button(page, "Next differing task").click();
  await page.locator(".sides-summary", { hasNotText: "Task 1, attempt 1" }).waitFor(PATIENCE);
  // Their success rates on it differ, so one attempt at least must part.
  expect(await page.locator(".sides-summary").innerText()).toMatch(/the first difference is at turn \d/);
  expect(await page.locator(".is-parted").count()).toBe(1);
  await page.locator(".played-detail summary").first().focus();
  await page.keyboard.press("Enter");
  await page.locator(".played-detail[open] .options").first().waitFor();
  expect(await page.locator(".played-detail[open] .token").count()).toBeGreaterThan(3);
  expect(await axeFindings(page)).toEqual([]);
  await expectNothingClipped(page);
  expect(faults).toEqual([]);
  await page.context().close();
}, 300_000);
