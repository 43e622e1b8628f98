import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { button, launchBrowser, openApp, PATIENCE, reached, readout, updatesDone, ownBrowser } from "./page.ts";

/** The built app with the real trainer: what breaks under it, and how the run goes on. */

const browser = ownBrowser();

/** Small, from a blank policy, paced so that a test can act between two updates. */
const SMALL = "#/play?v=1&p=refund-desk&from=blank&algorithm.groupSize=4&algorithm.groupsPerUpdate=4&updates=4000&evaluation.every=200&evaluation.tasks=4&evaluation.trials=2&s=5";

const numberIn = (text: string | null): number => Number(/\d+/.exec(text ?? "")?.[0]);

async function running(update: number): Promise<Page> {
  const { page } = await openApp(browser(), SMALL);
  await page.locator(".backend", { hasText: "WASM" }).waitFor(PATIENCE);
  await page.keyboard.press("Space");
  await reached(page, update);
  return page;
}

/** What the board shows of an update, to be compared. */
async function boardAt(page: Page, update: number): Promise<string> {
  // By way of another one: a number that stands there already is not typed.
  for (const to of [1, update]) {
    await page.getByLabel("Go to update").fill(String(to));
    await page.keyboard.press("Enter");
  }
  await page.locator("#board-title", { hasText: `update ${update}` }).waitFor();
  return page.locator("[role=grid]").innerText();
}

const worker = (page: Page) => {
  const [trainer] = page.workers();
  if (trainer === undefined) throw new Error("the page has no worker");
  return trainer;
};

test("a worker that breaks down: the run goes on from the last kept update and repeats what it would have been", async () => {
  const page = await running(6);
  await worker(page).evaluate(() => void setTimeout(() => {
    throw new Error("thrown by the test");
  }));
  await page.getByRole("alert").getByText("thrown by the test").waitFor();
  const go = button(page, /^Go on from update \d+$/);
  const kept = numberIn(await go.textContent());
  const last = await updatesDone(page);
  const before = last > kept ? await boardAt(page, last) : null;
  await go.click();
  await reached(page, last + 2);
  if (before !== null) expect(await boardAt(page, last)).toBe(before);
  expect(await page.getByRole("alert").count()).toBe(0);
  await page.context().close();
});

test("a worker that is killed without a word is noticed, and the run goes on in another", async () => {
  const page = await running(3);
  await worker(page).evaluate(() => self.close());
  await page.locator(".notices h2", { hasText: "The trainer gives no sign" }).waitFor(PATIENCE);
  const last = await updatesDone(page);
  await button(page, /^Go on from update \d+$/).click();
  await reached(page, last + 2);
  expect(await page.locator(".notices h2").count()).toBe(0);
  await page.context().close();
});

test("a page that is reloaded, or that crashed, offers the run it left and goes on with it", async () => {
  const page = await running(4);
  await page.keyboard.press("Space");
  await readout(page, "paused").waitFor();
  const done = await updatesDone(page);
  const board = await boardAt(page, 3);
  await page.waitForTimeout(500);
  await page.reload();
  await page.locator(".notices h2", { hasText: "A run was left unfinished" }).waitFor(PATIENCE);
  const go = button(page, /^Go on from update \d+$/);
  const kept = numberIn(await go.textContent());
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThanOrEqual(done);
  await go.click();
  await reached(page, done + 2);
  expect(await boardAt(page, 3)).toBe(board);
  await page.getByRole("button", { name: "Reset, seed 5" }).click();
  await readout(page, "not started").waitFor();
  await page.waitForTimeout(500);
  await page.reload();
  await page.locator(".backend", { hasText: "WASM" }).waitFor(PATIENCE);
  await page.waitForTimeout(2_500);
  expect(await page.locator(".notices h2").count()).toBe(0);
  await page.context().close();
});

test("a tab that was frozen and woken goes on", async () => {
  const page = await running(3);
  const session = await page.context().newCDPSession(page);
  await session.send("Page.setWebLifecycleState", { state: "frozen" });
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  await session.send("Page.setWebLifecycleState", { state: "active" });
  const woken = await updatesDone(page);
  await reached(page, woken + 3);
  expect(await page.locator(".notices h2").count()).toBe(0);
  await page.context().close();
});

test("a GPU process that crashes once is replaced; crashing again, it leaves the run to the processor", async () => {
  // A browser() of its own: it gives no second adapter for two minutes after two crashes.
  const own = await launchBrowser();
  const { page } = await openApp(own, SMALL);
  await page.locator(".backend", { hasText: "WASM" }).waitFor(PATIENCE);
  await page.locator(".backend").click();
  await page.getByRole("radio", { name: /^WebGPU/ }).check();
  await page.locator(".backend", { hasText: "WebGPU" }).waitFor(PATIENCE);
  await page.keyboard.press("Escape");
  await page.locator("#board-title").click();
  await page.keyboard.press("Space");
  const session = await own.newBrowserCDPSession();
  for (const title of ["The run goes on on a new graphics device", "The run goes on on the CPU"]) {
    await reached(page, (await updatesDone(page)) + 2);
    await session.send("Browser.crashGpuProcess");
    await page.locator(".notices h2", { hasText: title }).waitFor(PATIENCE);
    console.log(`${title}: ${(await page.locator(".notices p").innerText()).replaceAll("\n", " ")}`);
    await reached(page, (await updatesDone(page)) + 2);
  }
  expect(await page.locator(".backend").innerText()).toContain("WASM");
  await own.close();
});
