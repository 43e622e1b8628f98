import type { PreviewServer } from "vite";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axeFindings, expectNothingClipped, launchBrowser } from "./page.ts";
import { serveHarness } from "./page-harness/build.ts";
import type {} from "./page-harness/harness.tsx";

/** Over a made-up run: the recorded group, the inspector's tabs, going back through a run, reliability recounted, alarms. */

let browser: Browser;
let server: PreviewServer;
let url: string;
beforeAll(async () => {
  [browser, { server, url }] = await Promise.all([launchBrowser(), serveHarness()]);
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

const DESKTOP: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 } };
const NARROW: BrowserContextOptions = { viewport: { width: 320, height: 640 } };

async function open(options: BrowserContextOptions = DESKTOP): Promise<Page> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(url);
  await page.locator(".backend", { hasText: "WASM" }).waitFor({ state: "attached" });
  await page.evaluate(() => trainer.pace(10));
  return page;
}

/** Runs to an update and pauses there; what is under way then comes to its end. */
async function runTo(page: Page, update: number): Promise<void> {
  await page.locator("#board-title").click();
  await page.keyboard.press("Space");
  await page.waitForFunction((least) => (document.querySelector("progress")?.value ?? 0) >= least, update);
  await page.keyboard.press("Space");
  await page.locator(".readout", { hasText: "paused" }).waitFor();
  await page.waitForTimeout(400);
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const tab = (page: Page, name: string) => page.getByRole("tab", { name }).click();
const title = (page: Page) => page.locator("#board-title").textContent();
const updatesDone = (page: Page) => page.evaluate(() => document.querySelector("progress")?.value ?? 0);

type State = readonly [name: string, options: BrowserContextOptions, reach: (page: Page) => Promise<unknown>];

const STATES: readonly State[] = [
  ["the recorded group on a laptop", { viewport: { width: 1366, height: 768 } }, async () => {}],
  ["the recorded group on a tablet", { viewport: { width: 820, height: 1180 } }, async () => {}],
  ["the recorded group at 320 pixels", NARROW, async () => {}],
  ["at 200 % zoom", { viewport: { width: 720, height: 450 } }, async () => {}],
  ["the database tab", DESKTOP, async (page) => {
    await page.locator('[data-cell="0:2"]').click();
    await tab(page, "Database");
  }],
  ["the sequence tab", DESKTOP, (page) => tab(page, "Sequence")],
  ["an earlier update", DESKTOP, async (page) => {
    await runTo(page, 60);
    await button(page, "Back 10 updates").click();
  }],
  ["reliability recounted", DESKTOP, async (page) => {
    await runTo(page, 60);
    await button(page, "Recount from the attempts").click();
    await page.getByRole("dialog").locator(".dots svg").waitFor();
  }],
  ["an alarm", DESKTOP, async (page) => {
    await page.getByLabel("Learning rate").fill("0.01");
    await runTo(page, 12);
    await page.locator(".alarm-note.is-on").waitFor();
  }],
  ["help", NARROW, async (page) => {
    await page.getByRole("link", { name: "About" }).click();
    await page.locator(".formula").first().waitFor();
  }],
  ["phone, story: sequence", PHONE, async (page) => {
    await button(page, "Story").click();
    await tab(page, "Sequence");
  }],
  ["phone, story: database", NARROW, async (page) => {
    await button(page, "Story").click();
    await tab(page, "Database");
  }],
  ["phone, an earlier update", NARROW, async (page) => {
    await runTo(page, 12);
    await button(page, "Back 1 update").click();
  }],
];

test.each(STATES)("%s: axe finds nothing in light and dark, nothing is clipped", async (_name, options, reach) => {
  const page = await open({ ...options, colorScheme: "light" });
  await reach(page);
  await page.waitForTimeout(300);
  expect(await axeFindings(page)).toEqual([]);
  await expectNothingClipped(page);
  await page.emulateMedia({ colorScheme: "dark" });
  // Colours fade over for a moment.
  await page.waitForTimeout(500);
  expect(await axeFindings(page)).toEqual([]);
  await page.context().close();
});

test("without any script the page asks its question over the recorded group", async () => {
  const context = await browser.newContext({ ...DESKTOP, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(url);
  expect(await title(page)).toBe("Four attempts. Two worked. Which turn deserves the credit?");
  expect(await page.locator("[data-cell]:visible").count()).toBe(19);
  expect(await page.locator(".btn-primary:visible").count()).toBe(1);
  await context.close();
});

test.each([["desktop", DESKTOP], ["phone", PHONE]] as const)("%s: the page takes over its own markup, without a shift or a complaint", async (_name, options) => {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  await page.addInitScript(() => {
    globalThis.addEventListener("DOMContentLoaded", () => {
      document.documentElement.dataset["shift"] = "0";
    });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const shift: unknown = "value" in entry ? entry.value : 0;
        const { dataset } = document.documentElement;
        dataset["shift"] = String(Number(dataset["shift"] ?? 0) + (typeof shift === "number" ? shift : 0));
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(url);
  await page.locator(".backend", { hasText: "WASM" }).waitFor({ state: "attached" });
  await page.waitForTimeout(600);
  expect(faults).toEqual([]);
  expect(Number(await page.evaluate(() => document.documentElement.dataset["shift"]))).toBeLessThan(0.02);
  await context.close();
});

test("the recorded group is read like any other; Run takes its place and Reset brings it back", async () => {
  const page = await open();
  const why = page.getByRole("complementary", { name: "Inspector" });
  const heading = () => why.getByRole("heading", { level: 2 }).textContent();
  expect(await heading()).toBe("Why? D, turn 2: Ask");
  await page.locator('[data-cell][tabindex="0"]').focus();
  await page.keyboard.press("ArrowUp");
  await expect.poll(heading).toMatch(/C, turn 2: Check #/);
  await page.keyboard.press("ArrowRight");
  await tab(page, "Database");
  await why.getByText("This turn changed one value.").waitFor();
  expect(await why.locator("tr.is-changed").innerText()).toMatch(/no\s+now\s+yes/);

  await runTo(page, 2);
  expect(await title(page)).toMatch(/^Group of update/);
  await button(page, "Reset, seed 1").click();
  await page.locator(".is-landing").first().waitFor();
  expect(await heading()).toBe("Why? D, turn 2: Ask");
  await page.context().close();
});

test("tabs are one stop, arrows choose; a message leads to its turn", async () => {
  const page = await open();
  const why = page.getByRole("complementary", { name: "Inspector" });
  await page.getByRole("tab", { name: "Turn" }).focus();
  await page.keyboard.press("End");
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Sequence");
  expect(await page.getByRole("tab", { selected: true }).textContent()).toBe("Sequence");
  await why.getByRole("listitem").filter({ hasText: "terminal" }).last().getByRole("button").click();
  await expect.poll(() => why.getByRole("heading", { level: 2 }).textContent()).toMatch(/D, turn 8/);
  expect(await why.locator(".phase.is-lit").count()).toBe(5);
  await page.getByRole("tab", { name: "Sequence" }).focus();
  await page.keyboard.press("ArrowRight");
  expect(await page.getByRole("tab", { selected: true }).textContent()).toBe("Turn");
  expect(await why.getByRole("row", { name: /chosen/ }).count()).toBeGreaterThan(0);
  await page.context().close();
});

test("one goes through the run by buttons, keys and typing; board, numbers and readout go along", async () => {
  const page = await open();
  await runTo(page, 40);
  const last = await updatesDone(page);
  const shown = async (update: number) => {
    await expect.poll(() => title(page)).toBe(`Group of update ${update}`);
    await page.locator(".readout", { hasText: `Update ${update} of` }).waitFor();
    await page.getByText(`update ${update}`, { exact: true }).waitFor();
  };
  await button(page, "Back 10 updates").click();
  await shown(last - 10);
  await button(page, "Back 1 update").click();
  await shown(last - 11);
  await button(page, "Forward 1 update").click();
  await shown(last - 10);
  await page.getByRole("slider", { name: "Update shown" }).focus();
  await page.keyboard.press("ArrowLeft");
  await shown(last - 11);
  await page.keyboard.press("Home");
  await expect.poll(() => title(page)).toBe("Group of update 1");
  await page.getByLabel("Go to update").fill("17");
  await page.keyboard.press("Enter");
  await shown(17);
  expect(await page.getByRole("slider", { name: "Update shown" }).getAttribute("aria-valuetext")).toMatch(/^update 17 of/);
  await page.getByLabel("Go to update").fill("9999");
  await page.keyboard.press("Enter");
  await shown(last);
  expect(await button(page, "Live").getAttribute("aria-pressed")).toBe("false");
  await button(page, "Live").click();
  expect(await button(page, "Live").getAttribute("aria-pressed")).toBe("true");

  await button(page, "Back 10 updates").click();
  await button(page, "Resume").click();
  await page.waitForFunction((least) => (document.querySelector("progress")?.value ?? 0) >= least, last + 5);
  await shown(last - 10);
  await page.context().close();
});

test("k is chosen on the axis, and its point is recounted from the attempts", async () => {
  const page = await open();
  await runTo(page, 60);
  const card = page.getByRole("article", { name: "Reliability" });
  await card.getByRole("radio", { name: "k = 8" }).focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await card.getByText("pass^6").waitFor();
  await card.getByText(/tasks passed at least 6 of 8/).waitFor();
  const value = (await card.locator(".value").textContent())?.slice(0, 4) ?? "";
  await button(page, "Recount from the attempts").click();
  const dialog = page.getByRole("dialog");
  expect(Math.abs(Number(await dialog.locator("tfoot b").first().textContent()) - Number(value))).toBeLessThan(0.0051);
  await page.keyboard.press("Escape");
  await expect.poll(() => dialog.count()).toBe(0);
  await page.context().close();
});

test("an alarm is said in words beside the number it shows in", async () => {
  const page = await open();
  await page.getByLabel("Learning rate").fill("0.01");
  await runTo(page, 12);
  const card = page.getByRole("article", { name: "Signal" });
  await card.getByText(/above 0.01: the steps are too large/).waitFor();
  expect(await card.locator(".is-alarmed dt").innerText()).toContain("KL");
  await page.context().close();
});

test("a preset is chosen in the recipe", async () => {
  const page = await open();
  await page.getByLabel("Preset").selectOption("refund-desk-4-orders");
  expect(await page.getByLabel("Orders").inputValue()).toBe("4");
  await page.getByLabel("Preset").selectOption("refund-desk");
  expect(await page.getByLabel("Orders").inputValue()).toBe("3");
  await page.context().close();
});
