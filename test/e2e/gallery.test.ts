import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { DESKTOP, madeUpRun, PHONE } from "./made-up-run.ts";
import { axeFindings, expectNothingClipped, openApp, ownBrowser } from "./page.ts";

/** The gallery in the built app over the shipped recordings, and what a person's own run adds to it. */

const browser = ownBrowser();

async function expectSound(page: Page): Promise<void> {
  await page.waitForTimeout(300);
  expect(await axeFindings(page)).toEqual([]);
  await expectNothingClipped(page);
}

const card = (page: Page, title: string) => page.getByRole("article", { name: title });
const number = (text: string): number => Number(text.replace("−", "-"));

describe.each([
  ["a desktop, dark", { ...DESKTOP, colorScheme: "dark" }],
  ["a phone, light", { ...PHONE, colorScheme: "light" }],
] as const)("on %s", (_what, options) => {
  test("an exhibit is read, replayed by the keyboard, and opened in the workbench", async () => {
    const { page, faults } = await openApp(browser(), "", options);
    await page.getByRole("link", { name: "Gallery" }).click();
    await page.getByRole("heading", { name: "Reward hacking", level: 1 }).waitFor();
    expect(await page.getByRole("article").count()).toBeGreaterThanOrEqual(7);
    const deleted = card(page, "The deleted test");
    await deleted.getByRole("table").waitFor();
    const trained = deleted.getByRole("row", { name: /^After 40 updates/ }).getByRole("cell");
    const [paid = 0, heldout = 0] = (await trained.allInnerTexts()).map(number);
    expect(paid - heldout).toBeGreaterThan(0.5);
    await deleted.getByText("Show the line it exploits").click();
    expect(await deleted.getByText("remainingTests(state).map").count()).toBe(1);
    await expectSound(page);

    const replay = deleted.getByRole("group", { name: "Recorded attempt: The deleted test" });
    await replay.getByRole("button", { name: "Turn back" }).focus();
    await page.keyboard.press("Enter");
    expect(await replay.getByText("naive: passed").isVisible()).toBe(false);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect([await replay.getByText("naive: passed").isVisible(), await replay.getByText("Strict verdict: not passed").isVisible()]).toEqual([true, true]);
    await replay.getByRole("button", { name: "Replay" }).focus();
    await page.keyboard.press("Enter");
    await replay.getByText(/^[01] of/).waitFor();
    await replay.getByText("naive: passed").waitFor({ timeout: 8000 });

    await deleted.getByRole("link", { name: "Train it" }).click();
    await page.waitForFunction(() => location.hash.startsWith("#/play?v=1&p=js-sandbox-tempting"));
    await page.getByRole("heading", { name: /Turnwise: which turn/ }).waitFor({ state: "attached" });
    // What stands in the address now is what the page itself makes of the settings it took over.
    await page.waitForFunction(() => location.hash.includes("environment.temptations=delete_test") && location.hash.includes("reward.check=naive"));
    expect(faults).toEqual([]);
  });
});

/** Within the window, and not below three quarters of it. */
const isShown = (page: Page, id: string): Promise<boolean> =>
  page.evaluate((of) => {
    const top = document.getElementById(`exhibit-${of}`)?.getBoundingClientRect().top ?? Number.NaN;
    return top > -8 && top < 0.75 * innerHeight;
  }, id);

test("an address names an exhibit, which is shown, with its recording there, and so is the next that it names", async () => {
  const { page } = await openApp(browser(), "");
  const ids = await (async () => {
    await page.goto(new URL("#/gallery", page.url()).href);
    await page.locator(".exhibit[id] table").nth(6).waitFor();
    return page.locator(".exhibit[id]").evaluateAll((cards) => cards.map(({ id }) => id.replace("exhibit-", "")));
  })();
  const [, second = "", third = ""] = ids;
  await page.reload();
  for (const id of [third, second]) {
    await page.goto(new URL(`#/gallery/${id}`, page.url()).href);
    await page.locator(".exhibit[id] table").nth(6).waitFor();
    await expect.poll(() => isShown(page, id)).toBe(true);
  }
  // As somebody opens it first: the recordings come after the cards.
  const other = await page.context().newPage();
  await other.route("**/recordings/gallery/*.json", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 700));
    await route.continue();
  });
  await other.goto(new URL(`#/gallery/${third}`, page.url()).href);
  await other.locator(".exhibit[id] table").nth(6).waitFor();
  await other.waitForTimeout(200);
  expect(await isShown(other, third)).toBe(true);
});

test("an address names an exhibit, and a recording that cannot be had is said", async () => {
  const { page } = await openApp(browser(), "");
  await page.route("**/recordings/gallery/refund-everyone.json", (route) => route.abort());
  await page.goto(new URL("#/gallery/refund-everyone", page.url()).href);
  const everyone = card(page, "A refund for everyone");
  await everyone.getByRole("alert").waitFor();
  expect(await everyone.getByRole("link", { name: "Train it" }).getAttribute("href")).toContain("reward.check=eligible");
  await card(page, "The looped look-up").getByRole("table").waitFor();
});

const made = madeUpRun();
const BELIEVED = "#/play?v=1&p=refund-desk&reward.check=naive&updates=30&evaluation.every=10&s=1";
const offer = (page: Page) => page.locator(".notices h2", { hasText: "held-out success" });

test.each([["desktop", DESKTOP], ["phone", PHONE]] as const)("a run that is paid for more than is true is offered, kept, opened and deleted: %s", async (_name, options) => {
  const page = await made.open(options, BELIEVED);
  await page.locator("#main").focus();
  await page.keyboard.press("Space");
  await offer(page).waitFor({ timeout: 30_000 });
  expect(await page.locator(".notices").innerText()).toContain("by the strict verdict, the same attempts succeed at 0.25");
  await expectSound(page);
  await page.getByRole("button", { name: "Add to my gallery" }).click();
  await page.getByRole("link", { name: "Kept: open the gallery" }).click();
  const own = card(page, "refund-desk, paid for naive");
  await own.waitFor();
  expect(await own.getByRole("row", { name: /^Update 30/ }).getByRole("cell").first().innerText()).toContain("0.95");
  await expectSound(page);
  await page.reload();
  await own.waitFor();
  expect(await own.getByRole("link", { name: "Open its settings" }).getAttribute("href")).toContain("reward.check=naive");
  await own.getByRole("button", { name: /^Delete/ }).click();
  await page.getByText("Nothing yet.").waitFor();
  expect(await own.count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Yours");
});

test("a run that is paid for what is true is not", async () => {
  const page = await made.open(DESKTOP, BELIEVED.replace("reward.check=naive&", ""));
  await page.locator("#main").focus();
  await page.keyboard.press("Space");
  await page.locator(".readout", { hasText: "finished" }).waitFor({ timeout: 30_000 });
  await page.waitForTimeout(500);
  expect(await offer(page).count()).toBe(0);
});
