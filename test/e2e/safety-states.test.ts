import type { PreviewServer } from "vite";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFindings, expectNothingClipped, launchBrowser } from "./page.ts";
import { serveHarness } from "./page-harness/build.ts";
import type {} from "./page-harness/harness.tsx";

/** Over a made-up run: what the page says when something goes wrong, and what it then can do. */

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

async function open(options: BrowserContextOptions = DESKTOP, address = ""): Promise<Page> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(url + address);
  await page.locator(".backend", { hasText: "WASM" }).waitFor({ state: "attached" });
  await page.evaluate(() => trainer.pace(10));
  return page;
}

const updatesDone = (page: Page) => page.evaluate(() => document.querySelector("progress")?.value ?? 0);
const reached = (page: Page, update: number) => page.waitForFunction((least) => (document.querySelector("progress")?.value ?? 0) >= least, update);
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const notice = (page: Page, title: string | RegExp) => page.locator(".notices h2", { hasText: title });

async function run(page: Page, update: number): Promise<void> {
  await page.keyboard.press("Space");
  await reached(page, update);
}

type State = readonly [name: string, title: string, address: string, reach: (page: Page) => Promise<unknown>];

const STATES: readonly State[] = [
  ["a malformed link", "This link could not be read", "#/play?v=1&z=AAAAA", async () => {}],
  ["a link of which not all is taken", "Not all of this link was taken", "#/play?v=2&algorithm.groupSize=900&lens=side&s=3", async () => {}],
  ["a link that looks at a turn to come", "This link looks at a turn of the run", "#/play?v=1&u=7&m=1&t=1", async () => {}],
  ["a run left unfinished", "A run was left unfinished", "?left", async () => {}],
  ["the trainer stopped", "The trainer stopped working", "", async (page) => {
    await run(page, 3);
    await page.evaluate(() => trainer.crash());
  }],
  ["the trainer gives no sign", "The trainer gives no sign", "", async (page) => {
    await run(page, 3);
    await page.evaluate(() => trainer.quiet(true));
  }],
  ["a loss that is not finite", "The run failed after update", "", async (page) => {
    await page.evaluate(() => trainer.failAfter(3));
    await page.keyboard.press("Space");
  }],
  ["out of memory", "The run failed after update", "", async (page) => {
    await page.evaluate(() => trainer.runOutOfMemoryAfter(3));
    await page.keyboard.press("Space");
  }],
  ["a device lost for good", "The graphics device was lost", "", async (page) => {
    await page.evaluate(() => trainer.loseDeviceAfter(3));
    await page.keyboard.press("Space");
  }],
  ["another device looked for", "The graphics device was lost", "", async (page) => {
    await run(page, 3);
    await page.evaluate(() => trainer.tell({ type: "device-lost", update: 1, message: "A valid external Instance reference no longer exists." }));
  }],
  ["on the processor after losses", "The run goes on on the CPU", "", async (page) => {
    await run(page, 3);
    await page.evaluate(() => {
      trainer.tell({ type: "device-lost", update: 1, message: "gone" });
      trainer.tell({ type: "recovered", update: 1, backend: { backend: "wasm", arithmetic: "simd128", reason: "the graphics device was lost 3 times: WASM runs", options: [] } });
    });
  }],
  ["storage full", "Storage is full", "", async (page) => {
    await page.evaluate(() => trainer.fillStorage());
    await run(page, 3);
  }],
  ["hidden for long", "Paused after 5 min hidden", "", async (page) => {
    await run(page, 3);
    await page.keyboard.press("Space");
    await page.locator(".readout", { hasText: "paused" }).waitFor();
    await page.evaluate(() => trainer.tell({ type: "paused-hidden", minutes: 5 }));
  }],
];

/** The longest texts, where there is little room for them. */
const LONG: ReadonlySet<string> = new Set(["a malformed link", "a link of which not all is taken", "a loss that is not finite", "on the processor after losses"]);

describe.each([
  ["desktop, light", { ...DESKTOP, colorScheme: "light" }, STATES],
  ["phone, dark", { ...PHONE, colorScheme: "dark" }, STATES.filter(([name]) => LONG.has(name))],
  ["320 pixels, light", { ...NARROW, colorScheme: "light" }, STATES.filter(([name]) => LONG.has(name))],
] satisfies readonly (readonly [string, BrowserContextOptions, readonly State[]])[])("%s", (_size, options, states) => {
  test.each(states)("%s: it is said, axe finds nothing, nothing is clipped", async (_name, title, address, reach) => {
    const page = await open(options, address);
    await reach(page);
    await notice(page, title).waitFor();
    await page.waitForTimeout(200);
    expect(await axeFindings(page)).toEqual([]);
    await expectNothingClipped(page);
    const box = await notice(page, title).boundingBox();
    expect(box?.y).toBeGreaterThan(48);
    await page.context().close();
  });

  test.each(["Share", "Keyboard"])("the dialog %s: axe finds nothing, nothing is clipped, Esc gives the focus back", async (name) => {
    const page = await open(options);
    const opener = button(page, name);
    await opener.click();
    await page.getByRole("dialog", { name }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await expectNothingClipped(page);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.context().close();
  });
});

test("after a crash the run goes on from where it was kept, with what was shown then", async () => {
  const page = await open();
  await run(page, 8);
  await page.evaluate(() => trainer.crash());
  const go = button(page, /^Go on from update \d+$/);
  const kept = Number(/\d+/.exec((await go.textContent()) ?? "")?.[0]);
  await go.click();
  await notice(page, "The trainer stopped working").waitFor({ state: "detached" });
  await reached(page, 20);
  expect(kept).toBeGreaterThan(0);
  await page.keyboard.press("Space");
  await page.locator(".readout", { hasText: "paused" }).waitFor();
  const updates = await updatesDone(page);
  await page.evaluate(() => trainer.crash());
  await button(page, /^Go on from update \d+$/).click();
  await reached(page, updates + 3);
  await page.context().close();
});

test("a loss that is not finite: one press goes on with a quarter of the learning rate", async () => {
  const page = await open();
  await page.evaluate(() => trainer.failAfter(6));
  await page.keyboard.press("Space");
  await page.getByRole("alert").getByText("The loss is NaN").waitFor();
  await page.locator(".scrub-legend", { hasText: "failed at 7" }).waitFor();
  await button(page, /^Go on from update \d+ with learning rate 0\.000125$/).click();
  await reached(page, 9);
  expect(await page.getByLabel("Learning rate").inputValue()).toBe("0.000125");
  expect(await page.locator(".scrub-legend", { hasText: "failed at" }).count()).toBe(0);
  await page.context().close();
});

test("out of memory: one press goes on with the smaller value it names", async () => {
  const page = await open();
  await page.evaluate(() => trainer.runOutOfMemoryAfter(6));
  await page.keyboard.press("Space");
  await page.getByRole("alert").getByText("algorithm.groupsPerUpdate decides how much an update takes: try 16").waitFor();
  await button(page, /^Go on from update \d+ with groups 16$/).click();
  await reached(page, 9);
  expect(await page.getByLabel("Groups", { exact: true }).inputValue()).toBe("16");
  await page.context().close();
});

test("a run left unfinished goes on with all that was before, or is deleted", async () => {
  const page = await open(DESKTOP, "?left");
  await button(page, "Go on from update 12").click();
  await reached(page, 15);
  expect(await page.getByLabel("Seed", { exact: true }).inputValue()).toBe("77");
  await page.keyboard.press("Space");
  await page.getByLabel("Go to update").fill("5");
  await page.keyboard.press("Enter");
  await page.locator("#board-title", { hasText: "update 5" }).waitFor();
  await page.context().close();

  const other = await open(DESKTOP, "?left");
  await button(other, "Delete it").click();
  expect(await other.locator(".notices h2").count()).toBe(0);
  await other.context().close();
});

test("a paused run says so in the tab, and a hidden page's run is resumed at a press", async () => {
  const page = await open();
  await run(page, 3);
  expect(await page.title()).toBe("Turnwise");
  await page.keyboard.press("Space");
  await expect.poll(() => page.title()).toBe("❚❚ Turnwise");
  await page.evaluate(() => trainer.tell({ type: "paused-hidden", minutes: 5 }));
  await page.locator(".notices").getByRole("button", { name: "Resume" }).click();
  await notice(page, "Paused after").waitFor({ state: "detached" });
  await expect.poll(() => page.title()).toBe("Turnwise");
  await page.context().close();
});

test("a slower pace holds, and ×1 lets go", async () => {
  const page = await open();
  await run(page, 3);
  await page.locator(".backend").click();
  await page.getByLabel("Slow: an update every two seconds").check();
  // What was done before the choice reached the worker is still shown for a moment.
  await page.waitForTimeout(2_000);
  const before = await updatesDone(page);
  await page.waitForTimeout(3_000);
  expect(await updatesDone(page)).toBeLessThanOrEqual(before + 2);
  await page.getByLabel("×1, as fast as can be").check();
  await reached(page, before + 10);
  await page.context().close();
});
