import { readFileSync } from "node:fs";
import type { BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";
import { readRunFile } from "#share/run-file-reader.ts";
import { axeFindings, button, expectNothingClipped, openApp, PATIENCE, readout, ownBrowser } from "./page.ts";

/** The built app with the real trainer and the browser's own storage: runs are kept, found, opened and gone on with. */

const browser = ownBrowser();

/** Small, from a blank policy. */
const SMALL = "#/play?v=1&p=refund-desk&from=blank&algorithm.groupSize=4&algorithm.groupsPerUpdate=4&updates=6&evaluation.every=2&evaluation.tasks=4&evaluation.trials=2&s=";

const item = (page: Page, title: string) => page.locator(".run-item", { hasText: title });

async function opened(seed: number): Promise<{ page: Page; faults: readonly string[] }> {
  const app = await openApp(browser(), `${SMALL}${seed}`);
  await app.page.locator(".backend", { hasText: "WASM" }).waitFor(PATIENCE);
  return app;
}

async function stepTo(page: Page, update: number): Promise<void> {
  await page.keyboard.press(".");
  await readout(page, `Update ${update} of`).waitFor(PATIENCE);
  await readout(page, "paused").waitFor(PATIENCE);
}

async function goTo(page: Page, route: "Play" | "Runs"): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: route }).click();
}

/** What board and curves show of an update; not what was assessed meanwhile, which depends on the clock. */
async function shownAt(page: Page, update: number): Promise<readonly string[]> {
  for (const to of [update === 1 ? 2 : 1, update]) {
    await page.getByLabel("Go to update").fill(String(to));
    await page.keyboard.press("Enter");
  }
  await page.locator("#board-title", { hasText: `update ${update}` }).waitFor();
  await page.locator(".curves .card").nth(2).waitFor();
  await page.waitForTimeout(800);
  await page.locator("#board-title").click();
  const chips = await page.locator("[role=grid] [data-cell], [role=grid] .end-outcome").allInnerTexts();
  return [chips.join(" | "), ...(await page.locator(".curves .card").allInnerTexts()).slice(0, 2)];
}

async function another(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

test("a finished and a stopped run stay, are named, found and pinned, come back whole, and the stopped one goes on to where it would have ended", async () => {
  const { page, faults } = await opened(3);
  await page.keyboard.press("Space");
  await readout(page, "finished").waitFor(PATIENCE);
  const whole = [await shownAt(page, 2), await shownAt(page, 5)];
  await page.keyboard.press("r");
  for (const update of [1, 2, 3]) await stepTo(page, update);
  await page.keyboard.press("r");
  await readout(page, "not started").waitFor();

  await goTo(page, "Runs");
  await page.locator(".run-item").nth(1).waitFor();
  expect(await page.locator(".run-item").count()).toBe(2);
  const finished = page.locator(".run-item", { hasText: "finished" });
  expect(await finished.innerText()).toMatch(/6 of 6/);
  expect(await finished.innerText()).toMatch(/\d\.\d\d at 6/);
  expect(await page.locator(".run-item", { hasText: "stopped" }).innerText()).toMatch(/3 of 6/);
  await page.getByText(/used of about/).waitFor();

  await page.locator(".run-item", { hasText: "stopped" }).getByRole("button", { name: /^Rename/ }).click();
  await page.getByLabel("Name", { exact: true }).fill("Half way <b>bold</b>");
  await page.getByLabel("Note").fill("stopped by hand");
  await button(page, "Save").click();
  await item(page, "Half way <b>bold</b>").getByText("stopped by hand").waitFor();
  await page.getByLabel("Find runs").fill("hand half");
  await expect.poll(() => page.locator(".run-item").count()).toBe(1);
  await page.getByLabel("Find runs").fill("");
  await button(page, "Pin Half way <b>bold</b>").click();
  await expect.poll(async () => page.locator(".run-item").first().innerText()).toMatch(/Half way/);

  // Another visit: nothing is left in the page's memory.
  await page.reload();
  await button(page, "Open Refund desk, seed 3").click();
  await readout(page, "finished").waitFor(PATIENCE);
  expect([await shownAt(page, 2), await shownAt(page, 5)]).toEqual(whole);

  await goTo(page, "Runs");
  await button(page, "Open Half way <b>bold</b>").click();
  await readout(page, "paused").waitFor(PATIENCE);
  expect(await shownAt(page, 2)).toEqual(expect.arrayContaining([whole[0]?.[0]]));
  await page.keyboard.press("l");
  await page.locator("#board-title").click();
  await page.keyboard.press("Space");
  await readout(page, "finished").waitFor(PATIENCE);
  expect([await shownAt(page, 2), await shownAt(page, 5)]).toEqual(whole);
  await goTo(page, "Runs");
  await expect.poll(() => page.locator(".run-item", { hasText: "finished" }).count()).toBe(2);
  expect(faults).toEqual([]);
  await page.context().close();
}, 240_000);

test("a deleted run can be had back, in the other tab's list too", async () => {
  const { page, faults } = await opened(4);
  await stepTo(page, 1);
  await page.keyboard.press("r");
  await readout(page, "not started").waitFor();
  await goTo(page, "Runs");
  const other = await another(page.context(), page.url());
  await item(other, "seed 4").waitFor();
  await button(page, "Delete Refund desk, seed 4").click();
  await item(other, "seed 4").waitFor({ state: "detached" });
  await page.getByText("No runs yet").waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Undo");
  await page.keyboard.press("Enter");
  await item(page, "seed 4").waitFor();
  await item(other, "seed 4").waitFor();

  // A number can be cleared and typed anew; what it may not be is put right when the field is left.
  const seeds = page.getByLabel(/^Seeds, /);
  await seeds.fill("");
  expect(await seeds.inputValue()).toBe("");
  await page.keyboard.type("14");
  expect(await seeds.inputValue()).toBe("14");
  await page.keyboard.press("Tab");
  const most = await seeds.getAttribute("max");
  expect(await seeds.inputValue()).toBe(most);
  await button(page, `Train ${most} seeds`).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
}, 120_000);

test("two tabs train at once: each keeps its own run, and neither opens the other's", async () => {
  const { page } = await opened(5);
  await stepTo(page, 1);
  const other = await another(page.context(), page.url().replace("s=5", "s=6"));
  await other.locator(".backend", { hasText: "WASM" }).waitFor(PATIENCE);
  await stepTo(other, 1);
  await Promise.all([stepTo(page, 2), stepTo(other, 2)]);
  await goTo(other, "Runs");
  await other.getByLabel("Seeds of the same settings together").uncheck();
  await item(other, "seed 5").getByText("at work in a tab").waitFor();
  expect(await item(other, "seed 5").getByRole("button", { name: /^Open/ }).count()).toBe(0);
  await item(other, "seed 5").getByText("Open it in its own tab.").waitFor();
  expect(await item(other, "seed 5").getByRole("link", { name: "Look at the run" }).count()).toBe(0);
  await item(other, "seed 6").getByRole("link", { name: "Look at the run" }).waitFor();
  expect(await item(other, "seed 5").getByRole("button", { name: /^Delete/ }).isDisabled()).toBe(true);
  await page.keyboard.press("r");
  await readout(page, "not started").waitFor();
  await button(other, "Open Refund desk, seed 5").click();
  await readout(other, "paused").waitFor(PATIENCE);
  await readout(other, "Update 2 of").waitFor();
  await page.context().close();
}, 240_000);

test("a page that is closed while it writes loses nothing that was written: the run is whole up to where it is offered, and can be taken away", async () => {
  const { page } = await openApp(browser(), `${SMALL.replace("updates=6", "updates=4000").replace("evaluation.every=2", "evaluation.every=200")}8`);
  const context = page.context();
  const address = page.url().replace(/#.*/, "");
  let at = page;
  let reached = 0;
  for (const wait of [0, 900, 350]) {
    await at.locator(".backend", { hasText: "WASM" }).waitFor(PATIENCE);
    if (reached === 0) await at.keyboard.press("Space");
    else await at.getByRole("button", { name: /^Go on from update \d+$/ }).click(PATIENCE);
    reached += 3;
    await at.waitForFunction((update) => (document.querySelector("progress")?.value ?? 0) >= update, reached, PATIENCE);
    await at.waitForTimeout(wait);
    // Nothing is told to the page: its workers end in the middle of whatever they do.
    await at.close({ runBeforeUnload: false });
    at = await another(context, address);
  }
  const offer = at.getByRole("button", { name: /^Go on from update \d+$/ });
  const kept = Number(/\d+/.exec((await offer.textContent(PATIENCE)) ?? "")?.[0]);
  expect(kept).toBeGreaterThan(0);
  await goTo(at, "Runs");
  await at.locator(".run-item").first().waitFor();
  expect(await at.locator(".run-item").count()).toBe(1);
  await at.getByRole("button", { name: /^Export/ }).click();
  const dialog = at.getByRole("dialog", { name: "Export" });
  await dialog.waitFor();
  expect(await axeFindings(at)).toEqual([]);
  await expectNothingClipped(at);
  const [file] = await Promise.all([at.waitForEvent("download"), dialog.getByRole("button", { name: "Run file" }).click()]);
  // The reader refuses gaps, repetitions, and weights of another update than the last.
  const run = await readRunFile(new Uint8Array(readFileSync(await file.path())), { breathe: () => Promise.resolve() });
  expect(run.snapshot?.update).toBe(kept);
  expect(run.events.filter(({ type }) => type === "update").length).toBe(kept);
  await context.close();
}, 300_000);

test.each([
  ["desktop, light", { viewport: { width: 1440, height: 900 }, colorScheme: "light" }],
  ["phone, dark", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }],
] as const)("%s: axe finds nothing, nothing is clipped, and the list is worked by keys", async (_name, options) => {
  const { page, faults } = await openApp(browser(), `${SMALL}7`, options);
  await page.locator(".backend", { hasText: "WASM" }).waitFor({ state: "attached", ...PATIENCE });
  await stepTo(page, 1);
  await page.keyboard.press("r");
  await page.goto(page.url().replace(/#.*/, "#/runs"));
  await item(page, "seed 7").waitFor();
  await button(page, "Pin Refund desk, seed 7").focus();
  await page.keyboard.press("Enter");
  await page.locator(".run-item.is-pinned").waitFor();
  await page.getByRole("button", { name: /^Rename/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("Name", { exact: true }).waitFor();
  const focused = () => page.evaluate(() => (document.activeElement instanceof HTMLInputElement ? document.activeElement.labels?.[0]?.textContent : document.activeElement?.textContent));
  expect(await focused()).toBe("Name");
  await page.keyboard.press("Escape");
  expect(await page.getByLabel("Name", { exact: true }).count()).toBe(0);
  expect(await focused()).toBe("Rename");
  await page.keyboard.press("Enter");
  await page.getByLabel("Name", { exact: true }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await expectNothingClipped(page);
  expect(faults).toEqual([]);
  await page.context().close();
}, 120_000);
