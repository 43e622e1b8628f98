import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect, inject } from "vitest";
import { axeFindings, expectNothingClipped, ownBrowser, patientPage, reached } from "./page.ts";
import type {} from "./page-harness/harness.tsx";
import type {} from "./page-harness/setup.ts";

/** The page over a made-up run: fast, and brought into any state. */

export const DESKTOP: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };
export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 } };
export const NARROW: BrowserContextOptions = { viewport: { width: 320, height: 640 } };

export interface MadeUpRun {
  /** In a context of its own, the trainer ready and quick. */
  open(options?: BrowserContextOptions, address?: string): Promise<Page>;
  /** For a page in another setting. */
  browser(): Browser;
  url(): string;
}

function servedHarness(): string {
  const harness = inject("harness");
  if ("fault" in harness) throw new Error(`the page over a made-up run could not be built or served: ${harness.fault}`);
  return harness.url;
}

/** For the tests of a file, in a browser of their own. */
export function madeUpRun(): MadeUpRun {
  const browser = ownBrowser();
  return {
    browser,
    url: servedHarness,
    open: async (options = DESKTOP, address = "") => {
      const page = await patientPage(browser(), options);
      await page.goto(servedHarness() + address);
      await page.locator(".backend", { hasText: "WASM" }).waitFor({ state: "attached" });
      await page.evaluate(() => trainer.pace(40));
      return page;
    },
  };
}

/** Runs to an update; the run goes on. */
export async function run(page: Page, update: number): Promise<void> {
  await page.keyboard.press("Space");
  await reached(page, update);
}

/** Runs to an update and pauses there; what is under way then comes to its end. */
export async function runTo(page: Page, update: number): Promise<void> {
  await page.locator("#board-title").click();
  await page.evaluate((last) => trainer.slowAfter(last), update);
  await run(page, update);
  await page.keyboard.press("Space");
  await page.locator(".readout", { hasText: "paused" }).waitFor();
  await page.evaluate(() => trainer.slowAfter(Infinity));
  await page.waitForTimeout(400);
}

/** As it stands, axe finds nothing and nothing is clipped; nor are the colours wrong in the dark. */
export async function expectSound(page: Page): Promise<void> {
  await page.waitForTimeout(100);
  // What moves or fades comes to rest, on a busy machine later; what is wrong stays.
  await expect.poll(() => axeFindings(page)).toEqual([]);
  await expectNothingClipped(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForTimeout(200);
  await expect.poll(() => axeFindings(page, ["color-contrast", "link-in-text-block"])).toEqual([]);
}

/** A state of the page, the window it is shown in, and how it is reached. */
export type State = readonly [name: string, options: BrowserContextOptions, reach: (page: Page) => Promise<unknown>];
