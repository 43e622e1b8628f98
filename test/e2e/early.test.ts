import { deflateSync } from "fflate";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type {} from "#ui/early-clicks.ts";
import { DESKTOP, madeUpRun } from "./made-up-run.ts";
import { button, patientPage, reached, readout, updatesDone } from "./page.ts";

/** What a person does before all of the page's scripts are there. */

const { browser, url } = madeUpRun();

/** The page without some of its scripts, until they are let go: then they are there, or cannot be had. */
async function openWithout(scripts: string, address = "", isThere = true): Promise<{ readonly page: Page; readonly release: () => void }> {
  const page = await patientPage(browser(), DESKTOP);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(scripts, async (route) => {
    await held;
    await (isThere ? route.continue() : route.abort());
  });
  await page.goto(url() + address, { waitUntil: "commit" });
  return { page, release };
}

test("what is set before the script is there counts: a run starts with what the page shows", async () => {
  const { page, release } = await openWithout("**/*.js");
  await page.getByLabel("Learning rate").fill("0.01");
  await page.getByLabel("Start").selectOption("blank");
  await page.getByRole("switch", { name: "Vary the wording" }).check();
  await page.getByLabel("Scheme beside truth").selectOption("critic");
  await page.locator(".transport-keys").getByLabel("Speed").selectOption("½ /s");
  await page.getByRole("radio", { name: "k = 6" }).check();
  release();
  await expect.poll(() => page.evaluate(() => location.hash)).toBe("#/play?v=1&p=refund-desk&from=blank&harness.varyWording=true&algorithm.learningRate=0.01&s=1");
  // Seen where it was not set.
  await page.locator(".credit-line[aria-pressed=true]", { hasText: "Critic" }).waitFor();
  await page.getByRole("article", { name: "Reliability" }).locator("label.is-chosen", { hasText: "6" }).waitFor();
  await expect.poll(() => page.locator(".popover select.speed").inputValue()).toBe("2000");
  await page.context().close();
});

const RECIPE = "**/recipe-*.js";
const LINK = "**/run-link-*.js";
const LARGE_STEPS = "#/play?v=1&p=refund-desk&algorithm.learningRate=0.01&s=1";
/** The same, packed. */
const PACKED = `#/play?v=1&z=${Buffer.from(deflateSync(new TextEncoder().encode("p=refund-desk&algorithm.learningRate=0.01&s=1"))).toString("base64url")}`;

const tooLarge = (page: Page) => page.getByRole("article", { name: "Signal" }).getByText(/above 0.01: the steps are too large/);

async function askForRun(page: Page): Promise<void> {
  await page.locator(".backend", { hasText: "WASM" }).waitFor({ state: "attached" });
  await page.locator("#board-title").click();
  await page.keyboard.press("Space");
  await readout(page, "reading settings").waitFor();
}

async function expectNoRun(page: Page): Promise<void> {
  await readout(page, "not started").waitFor();
  await page.waitForTimeout(500);
  expect(await updatesDone(page)).toBe(0);
}

test.each([
  ["the recipe's script", RECIPE, "", (page: Page) => page.getByLabel("Learning rate").fill("0.01")],
  ["what reads a link", LINK, LARGE_STEPS, async () => {}],
  ["what reads a packed link", "**/link-pack-*.js", PACKED, async (page: Page) => {
    // That a turn is looked at meanwhile does not change the address.
    await page.locator('[data-cell="0:1"]').click();
    await page.waitForTimeout(900);
  }],
])("a run that is asked for while %s is missing starts once that is there, with the settings shown then", async (_missing, scripts, address, before) => {
  const { page, release } = await openWithout(scripts, address);
  await page.locator(".backend", { hasText: "WASM" }).waitFor({ state: "attached" });
  await before(page);
  await askForRun(page);
  release();
  await tooLarge(page).waitFor();
  expect(await page.getByText("Settings changed").count()).toBe(0);
  await page.context().close();
});

test.each([
  ["another press", LINK, LARGE_STEPS, (page: Page) => page.keyboard.press("Space")],
  ["another page", LINK, LARGE_STEPS, (page: Page) => page.getByRole("link", { name: "About" }).click()],
  ["another page, while the recipe is missing", RECIPE, "", (page: Page) => page.getByRole("link", { name: "About" }).click()],
])("a run that waits for its settings is called off by %s", async (_by, scripts, address, call) => {
  const { page, release } = await openWithout(scripts, address);
  await askForRun(page);
  await call(page);
  release();
  await expectNoRun(page);
  await page.context().close();
});

test.each([
  ["a link", "**/link-pack-*.js", PACKED, "This link could not be read"],
  ["the recipe", RECIPE, "", "This part of the page could not be loaded"],
])("%s whose script cannot be loaded: it is said, the address stays, and no run starts with other settings than were asked for", async (_what, scripts, address, said) => {
  const { page, release } = await openWithout(scripts, address, false);
  await page.locator(".backend", { hasText: "WASM" }).waitFor({ state: "attached" });
  if (scripts === RECIPE) await page.getByLabel("Learning rate").fill("0.01");
  await askForRun(page);
  release();
  await page.getByText(said).waitFor();
  await expectNoRun(page);
  expect(await page.evaluate(() => location.hash)).toBe(address);
  // Asked for again, it starts.
  await page.keyboard.press("Space");
  await reached(page, 2);
  await page.context().close();
});

test("a button pressed before any of the page's own script is there is pressed once it is", async () => {
  const { page, release } = await openWithout("**/assets/*.js");
  await page.waitForFunction(() => globalThis.earlyClicks !== undefined);
  await button(page, "Run").click();
  expect(await updatesDone(page)).toBe(0);
  release();
  await reached(page, 2);
  await page.context().close();
});

test("a preset chosen before the script is there is the page's", async () => {
  const { page, release } = await openWithout("**/*.js");
  await page.getByLabel("Preset").selectOption("sokoban");
  release();
  await page.getByText("Nothing computed yet").waitFor();
  expect(await page.getByLabel("Preset").inputValue()).toBe("sokoban");
  expect(await page.getByLabel("Boxes", { exact: true }).count()).toBe(1);
  await page.context().close();
});

test("presses of buttons that wait for their script are made once it is there, in their order", async () => {
  const { page, release } = await openWithout("**/inspector-*.js");
  await page.locator(".backend", { hasText: "WASM" }).waitFor({ state: "attached" });
  await page.getByRole("tab", { name: "Database" }).click();
  await button(page, "Next turn").click();
  await page.waitForTimeout(300);
  expect(await page.getByRole("tab", { selected: true }).textContent()).toBe("Turn");
  const before = await page.locator(".why-title h2").innerText();
  release();
  await page.getByRole("tab", { name: "Database", selected: true }).waitFor();
  await expect.poll(() => page.locator(".why-title h2").innerText()).not.toBe(before);
  expect(before).toBe("Why? D, turn 2: Ask");
  expect(await page.locator(".why-title h2").innerText()).toMatch(/^Why\? D, turn 3:/);
  await page.context().close();
});
