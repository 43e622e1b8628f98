import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject } from "vitest";
import { launchArguments } from "../../scripts/browser.mjs";
import type { ServedApp } from "./global-setup.ts";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export interface OpenedPage {
  readonly page: Page;
  /** Errors the page logged or threw so far: exceptions, failed requests, violations of the content security policy. */
  readonly faults: readonly string[];
}

function servedApp(): ServedApp {
  const app = inject("app");
  if ("fault" in app) throw new Error(`the app could not be built or served: ${app.fault}`);
  return app;
}

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: servedApp().browserPath, args: launchArguments });
}

/** One browser for the tests of a file, there once they run. */
export function ownBrowser(): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });
  return () => browser;
}

/** A page's thread is that many times slower than it could be: what only goes well on a quick machine is found so. */
const SLOWDOWN = Number(process.env["TURNWISE_SLOWDOWN"] ?? 1);
/** Milliseconds before each answer of the server: what only goes well while every script is there in time is found so. */
const LATENCY = Number(process.env["TURNWISE_LATENCY"] ?? 0);

/** With what the real trainer comes to. */
export const PATIENCE = { timeout: 90_000 };

export const button = (page: Page, name: string | RegExp): Locator => page.getByRole("button", { name, exact: true });
export const readout = (page: Page, text: string): Locator => page.locator(".readout", { hasText: text });
export const updatesDone = (page: Page): Promise<number> => page.evaluate(() => document.querySelector("progress")?.value ?? 0);
export const reached = async (page: Page, update: number): Promise<void> => {
  await page.waitForFunction((least) => (document.querySelector("progress")?.value ?? 0) >= least, update, PATIENCE);
};

/** In a context of its own; a busy machine is slow, and only what never comes is wrong. */
export async function patientPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE.timeout);
  const page = await context.newPage();
  if (SLOWDOWN > 1 || LATENCY > 0) {
    const devtools = await context.newCDPSession(page);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
    await devtools.send("Network.enable");
    await devtools.send("Network.emulateNetworkConditions", { offline: false, latency: LATENCY, downloadThroughput: -1, uploadThroughput: -1 });
  }
  return page;
}

/** Opens the built app in a context of its own (empty storage, nothing kept offline) at `fragment`, for example "#/lesson/credit". */
export async function openApp(browser: Browser, fragment = "", options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const page = await patientPage(browser, { serviceWorkers: "block", viewport: { width: 1440, height: 900 }, ...options });
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.goto(servedApp().url + fragment);
  return { page, faults };
}

/** What axe finds, one line a finding: rule, then where. @param rules those alone; all of them where none are named */
export async function axeFindings(page: Page, rules: readonly string[] = []): Promise<string[]> {
  // Through the protocol, as an inline script would be stopped by the page's policy.
  await page.evaluate(axeSource);
  const options: RunOptions = { resultTypes: ["violations"], ...(rules.length > 0 && { runOnly: [...rules] }) };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** Nothing sticks out of the window and no text is cut but where an ellipsis says so. */
export async function expectNothingClipped(page: Page): Promise<void> {
  const faults = (): Promise<string[]> => page.evaluate(() => {
    const found: string[] = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
    for (const element of document.querySelectorAll<HTMLElement>("button, h1, h2, h3, p, td, th, dd, dt, label, input, select")) {
      const box = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      if (box.width === 0 || element.closest(".vh, .skip, .table-box, .board-scroll, .topbar nav") !== null || style.textOverflow === "ellipsis") continue;
      if (element.scrollWidth > element.clientWidth + 1 && style.display !== "inline") found.push(`${element.className} ${element.textContent}`);
      if (box.right > innerWidth + 1) found.push(`outside: ${element.className} ${element.textContent}`);
    }
    return found;
  });
  await expect.poll(faults).toEqual([]);
}
