import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openApp, PATIENCE, reached, readout, updatesDone, ownBrowser } from "./page.ts";

/** The built app by keyboard alone: not one press of a mouse. */

const browser = ownBrowser();

const SMALL = "#/play?v=1&p=refund-desk&algorithm.groupSize=4&algorithm.groupsPerUpdate=4&updates=2000&evaluation.every=2000&evaluation.tasks=4&evaluation.trials=2&s=5";

const shownUpdate = (page: Page) => page.getByLabel("Go to update").inputValue().then(Number);
const heading = (page: Page) => page.locator(".why h2").innerText();
/** What a screen reader would call it. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : null;
    return (element?.getAttribute("aria-label") ?? label ?? element?.textContent ?? "").trim();
  });

/** Tab until something of that name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let press = 0; press < 120; press += 1) {
    if (name.test(await focused(page))) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${name} was never reached`);
}

/** F6 until the focus is in that part of the screen. */
async function goTo(page: Page, part: string): Promise<void> {
  for (let press = 0; press < 8; press += 1) {
    await page.keyboard.press("F6");
    if (await page.evaluate((selector) => document.activeElement?.closest(selector) !== null, part)) return;
  }
  throw new Error(`${part} was never reached`);
}

test("the first run, from the headline to a turn's reasons to a link in somebody else's hands", async () => {
  const { page, faults } = await openApp(browser(), SMALL, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.locator(".backend", { hasText: "WASM" }).waitFor(PATIENCE);

  // Run, pause somewhere, and on to the end of that update.
  await page.keyboard.press("Space");
  await reached(page, 4);
  await page.keyboard.press("Space");
  await readout(page, "paused").waitFor(PATIENCE);
  const done = await updatesDone(page);
  await page.keyboard.press(".");
  await reached(page, done + 1);
  await readout(page, "paused").waitFor(PATIENCE);

  // To the board, to a turn, to its reasons, and back to it.
  await goTo(page, ".board");
  await tabTo(page, /, turn \d+: /);
  await page.keyboard.press("ArrowDown");
  const turn = await focused(page);
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest(".why") !== null)).toBe(true);
  expect(turn.startsWith("B, turn 1")).toBe(true);
  expect(await heading(page)).toMatch(/B, turn 1/);
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe(turn);

  // Along and across from anywhere.
  await page.keyboard.press("j");
  expect(await heading(page)).toMatch(/C, turn 1/);
  await expect.poll(() => focused(page)).toMatch(/^C, turn 1/);
  await page.keyboard.press("k");
  await goTo(page, ".transport");
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => heading(page)).toMatch(/B, turn 2/);
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => heading(page)).toMatch(/B, turn 1/);

  // Back and forth through the updates; at the end one more is computed and the turn stays chosen.
  const last = await shownUpdate(page);
  await page.keyboard.press(",");
  await expect.poll(() => shownUpdate(page)).toBe(last - 1);
  await page.keyboard.press("Shift+Comma");
  await expect.poll(() => shownUpdate(page)).toBeLessThan(last - 1);
  await page.keyboard.press("Shift+Period");
  await page.keyboard.press("Shift+Period");
  await expect.poll(() => shownUpdate(page)).toBe(last);
  await page.keyboard.press(".");
  await reached(page, last + 1);
  await expect.poll(() => shownUpdate(page)).toBe(last + 1);
  expect(await heading(page)).toMatch(/B, turn 1/);
  await page.keyboard.press("l");
  await page.locator("#board-title", { hasText: `update ${last + 1}` }).waitFor();

  // A changed setting waits for a restart.
  await goTo(page, "#recipe");
  await tabTo(page, /^Group size$/);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("5");
  await page.getByText("Settings changed: restart to apply").waitFor();
  expect(await page.locator("[role=grid] tbody tr").count()).toBe(4);
  await tabTo(page, /^Restart$/);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll("[role=grid] tbody tr").length === 5, undefined, PATIENCE);
  await goTo(page, ".board");
  await page.keyboard.press("Space");
  await readout(page, "paused").waitFor(PATIENCE);

  // A turn, then the link to it.
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  const looked = await heading(page);
  await page.keyboard.press("s");
  await page.getByRole("dialog", { name: "Share" }).waitFor();
  expect(await focused(page)).toBe("Copy link");
  await page.keyboard.press("Enter");
  await page.getByText("Copied.").waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toContain("algorithm.groupSize=5");
  await page.keyboard.press("Escape");

  // The list of keys; with them off, letters rest.
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
  await tabTo(page, /^Single keys$/);
  await page.keyboard.press("Space");
  await page.keyboard.press("Escape");
  await page.keyboard.press("r");
  await page.waitForTimeout(300);
  expect(await readout(page, "paused").count()).toBe(1);
  await goTo(page, ".transport");
  await tabTo(page, /^Reset, seed 5$/);
  await page.keyboard.press("Enter");
  await readout(page, "not started").waitFor();
  expect(faults).toEqual([]);

  // Somewhere else: the same settings, the same seed, and after a run the same turn.
  const { page: other } = await openApp(browser(), new URL(link).hash);
  await other.locator(".backend", { hasText: "WASM" }).waitFor(PATIENCE);
  await expect.poll(() => other.getByLabel("Group size").inputValue(), PATIENCE).toBe("5");
  expect(await other.getByLabel("Seed", { exact: true }).inputValue()).toBe("5");
  await other.locator(".notices h2", { hasText: "This link looks at a turn" }).waitFor();
  await other.keyboard.press("Space");
  await expect.poll(() => heading(other), PATIENCE).toBe(looked);
  await other.context().close();
  await page.context().close();
});

describe.each([
  ["1440 × 900", { width: 1440, height: 900 }],
  ["1366 × 768", { width: 1366, height: 768 }],
  ["390 × 844", { width: 390, height: 844 }],
  ["320 × 640", { width: 320, height: 640 }],
])("%s", (_name, viewport) => {
  test("what has the focus is never under a bar", async () => {
    const { page } = await openApp(browser(), SMALL, { viewport });
    await page.locator(".backend", { hasText: "WASM" }).waitFor({ state: "attached", ...PATIENCE });
    await page.keyboard.press(".");
    await readout(page, "paused").waitFor({ state: "attached", ...PATIENCE });
    const covered: string[] = [];
    let stops = 0;
    for (const key of ["Tab", "Shift+Tab"]) {
      for (let press = 0; press < 70; press += 1) {
        await page.keyboard.press(key);
        const fault = await page.evaluate(() => {
          const element = document.activeElement;
          if (!(element instanceof HTMLElement) || element === document.body) return "end";
          const { left, right, top, bottom } = element.getBoundingClientRect();
          const [x, y] = [(left + right) / 2, (top + bottom) / 2];
          const hit = document.elementFromPoint(x, y);
          const isSeen = hit !== null && (element.contains(hit) || hit.contains(element) || hit.closest("label")?.contains(element) === true);
          const bar = hit?.closest(".topbar, .transport, .tabbar") ?? null;
          if (isSeen && (bar === null || bar.contains(element))) return "";
          return `${element.className || element.tagName} “${element.textContent?.trim().slice(0, 30) ?? ""}” at ${Math.round(x)},${Math.round(y)} under ${hit?.className ?? "nothing"}`;
        });
        if (fault === "end") break;
        stops += 1;
        if (fault !== "") covered.push(fault);
      }
    }
    expect(stops).toBeGreaterThan(20);
    expect(covered).toEqual([]);
    await page.context().close();
  });
});
