import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeEvidence, encodeEvidence } from "#share/evidence-codec.ts";
import { decodeRunLink, LINK_LIMIT } from "#share/run-link.ts";
import { spoiltLinks } from "../fixtures/spoilt-links.ts";
import { axeFindings, expectNothingClipped, launchBrowser, openApp } from "./page.ts";

const PATIENCE = { timeout: 60_000 } as const;
const SMALL = ["--preset", "refund-desk", "--seed", "3", "--updates", "6", "--set", "algorithm.groupsPerUpdate=4", "--set", "evaluation.tasks=4", "--set", "evaluation.trials=1"];
const VIEWS: readonly (readonly [string, BrowserContextOptions])[] = [
  ["1440 × 900, dark", { viewport: { width: 1440, height: 900 }, colorScheme: "dark" }],
  ["390 × 844, light", { viewport: { width: 390, height: 844 }, colorScheme: "light", hasTouch: true }],
];

let browser: Browser;
/** Of a run of the command line, on one thread. */
let link: string;
beforeAll(async () => {
  [browser, link] = await Promise.all([
    launchBrowser(),
    promisify(execFile)("node", ["src/cli/run.mjs", "train", ...SMALL, "--threads", "1", "--link"]).then(({ stdout }) => stdout.trim()),
  ]);
}, 120_000);
afterAll(async () => {
  await browser.close();
});

const notice = (page: Page, title: string | RegExp) => page.locator(".notices h2", { hasText: title });
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

/** The same link with other evidence. */
async function withEvidence(change: (evidence: ReturnType<typeof decodeEvidence>) => ReturnType<typeof decodeEvidence>): Promise<string> {
  const reading = await decodeRunLink(link);
  const text = reading?.extras.evidence;
  if (reading === null || text === null || text === undefined) throw new Error("the link has no evidence");
  return link.replace(text, encodeEvidence(reading.config, change(decodeEvidence(reading.config, text))));
}

test("a link of the command line shows its trajectories before anything is computed; trained again it is the same, and its own link is too", async () => {
  expect(link.length).toBeLessThanOrEqual(1_600);
  const { page, faults } = await openApp(browser, link);
  await notice(page, /^Shared run: 5 settings differ from the preset refund-desk$/).waitFor(PATIENCE);
  await page.locator("#board-title", { hasText: "Group of update" }).waitFor(PATIENCE);
  expect(await page.locator("#board-title").textContent()).toContain("recorded");
  await page.locator(".readout", { hasText: "not started" }).waitFor();
  expect(await page.locator("[role=grid] tbody tr").count()).toBe(4);
  // It stays in the address, so that a reload shows the same.
  await page.waitForTimeout(800);
  expect(new URL(page.url()).hash).toContain("&e=");
  await page.reload();
  await notice(page, "Shared run").waitFor(PATIENCE);
  await page.locator("#board-title", { hasText: "recorded" }).waitFor(PATIENCE);

  await button(page, "Train again").click();
  await notice(page, "Reproduced: the same").waitFor(PATIENCE);
  expect(await page.locator(".notices").textContent()).toContain("all 6 compared updates");
  await button(page, "Replay recorded").click();
  await page.locator("#board-title", { hasText: "recorded" }).waitFor();
  await button(page, "Dismiss").click();
  await page.keyboard.press("l");

  await button(page, "Share").click();
  await page.getByRole("tab", { name: "Link with evidence" }).click();
  const field = page.getByRole("textbox", { name: "Link" });
  await expect.poll(() => field.inputValue(), PATIENCE).toContain("&e=");
  const own = new URL(await field.inputValue()).hash;
  expect(faults).toEqual([]);
  await page.context().close();

  const { page: other, faults: otherFaults } = await openApp(browser, own);
  await notice(other, "Shared run").waitFor(PATIENCE);
  await button(other, "Train again").click();
  await notice(other, "Reproduced: the same").waitFor(PATIENCE);
  expect(otherFaults).toEqual([]);
  await other.context().close();
}, 240_000);

test("some of a group: the head says how many, a formula is filled in over the rewards of all, and one that needs the others says so", async () => {
  const one = await withEvidence((evidence) => {
    const { trajectories } = evidence;
    if (trajectories === null) return evidence;
    const last = trajectories.members.length - 1;
    return { ...evidence, trajectories: { ...trajectories, members: trajectories.members.slice(last), rows: trajectories.rows.map((row) => ({ ...row, credits: row.credits.slice(last) })), truth: null } };
  });
  const reading = await decodeRunLink(one);
  if (reading === null || reading.extras.evidence === null) throw new Error("the link has no evidence");
  const letter = "ABCDEFGH"[decodeEvidence(reading.config, reading.extras.evidence).trajectories?.members[0]?.member ?? 0] ?? "";
  expect(letter).not.toBe("A");
  const { page, faults } = await openApp(browser, one);
  await page.getByText(/^1 of 8 trajectories, rewards of all( [01]){8}$/).waitFor(PATIENCE);
  await page.locator(".notices", { hasText: "The board shows 1 of the 8 trajectories of a group" }).waitFor(PATIENCE);
  expect(await page.locator(".board .stamp").count()).toBe(0);
  await expect.poll(() => page.locator(".who-name").allTextContents()).toEqual([letter]);
  const first = page.locator("[data-cell='0:0']");
  await expect.poll(() => first.getAttribute("aria-label")).toMatch(/ [+−]\d\.\d\d$/);
  const paid = (await first.getAttribute("aria-label"))?.split(" ").at(-1) ?? "";
  await first.click();
  const filled = page.locator(".filled");
  await filled.waitFor(PATIENCE);
  await expect.poll(async () => (await filled.locator(".vh").first().textContent())?.replace("−", "minus ")).toContain(`Result ${paid.slice(0, 5).replace("−", "minus ")}`);
  await expect.poll(() => page.locator(".peers li").count()).toBe(8);
  await page.locator(".peers .is-self", { hasText: letter }).waitFor();
  await page.locator(".credit-line", { hasText: "GiGPO" }).click();
  await filled.getByText("Its numbers need all 8 trajectories of the group; 1 travel with the link.").waitFor(PATIENCE);
  expect(faults).toEqual([]);
  await page.context().close();
}, 120_000);

test("weights that were others from an update on are called diverged in that interval, and a starting policy that is another one as that", async () => {
  const changed = await withEvidence((evidence) => ({ ...evidence, marks: evidence.marks.map((mark) => (mark.update >= 4 ? { ...mark, hash: mark.hash ^ 1 } : mark)) }));
  const { page } = await openApp(browser, changed);
  await button(page, "Train again").click(PATIENCE);
  await notice(page, "Diverged between updates 3 and 4").waitFor(PATIENCE);
  expect(await page.locator(".notices").textContent()).toContain("Up to update 3 the weights' bits agree");
  await page.context().close();
  const { page: other } = await openApp(browser, await withEvidence((evidence) => ({ ...evidence, start: evidence.start ^ 1 })));
  await button(other, "Train again").click(PATIENCE);
  await notice(other, "Diverged: another start").waitFor(PATIENCE);
  await other.context().close();
}, 180_000);

test("trajectories that no such run has are told, and the run can be trained all the same", async () => {
  const changed = await withEvidence((evidence) => evidence.trajectories === null ? evidence
    : { ...evidence, trajectories: { ...evidence.trajectories, members: evidence.trajectories.members.map((member) => ({ ...member, turns: member.turns.slice(0, -1) })), rows: [], truth: null } });
  const { page, faults } = await openApp(browser, changed);
  await page.getByText("Its trajectories cannot be shown").waitFor(PATIENCE);
  await button(page, "Train again").click();
  await notice(page, "Reproduced: the same").waitFor(PATIENCE);
  expect(faults).toEqual([]);
  await page.context().close();
}, 120_000);

test("a run recorded on WebGPU is within tolerance where it is computed on the processor, and reproduced on WebGPU", async () => {
  const recipe = "#/play?v=1&p=refund-desk&updates=3&from=base&algorithm.groupSize=4&algorithm.groupsPerUpdate=2&algorithm.minibatches=1&evaluation.every=5000&evaluation.tasks=1&evaluation.trials=1&s=5";
  const { page } = await openApp(browser, recipe);
  await page.locator(".backend", { hasText: "WASM" }).waitFor(PATIENCE);
  await page.locator(".backend").click();
  await page.getByRole("radio", { name: /^WebGPU/ }).check();
  await page.keyboard.press("Escape");
  await page.locator(".backend", { hasText: "WebGPU" }).waitFor(PATIENCE);
  await button(page, "Run").first().click();
  await page.locator(".readout", { hasText: "finished" }).waitFor({ timeout: 180_000 });
  await button(page, "Share").click();
  await page.getByRole("tab", { name: "Link with evidence" }).click();
  const field = page.getByRole("textbox", { name: "Link" });
  await expect.poll(() => field.inputValue(), PATIENCE).toContain("&e=");
  expect(await page.locator(".share-panel").textContent()).toContain("in webgpu");
  const recorded = new URL(await field.inputValue()).hash;
  await page.context().close();

  const { page: again } = await openApp(browser, recorded);
  await button(again, "Train again").click(PATIENCE);
  await again.locator(".backend", { hasText: "WebGPU" }).waitFor(PATIENCE);
  await notice(again, /^Reproduced: (the same|within tolerance)$/).waitFor({ timeout: 180_000 });
  await again.context().close();

  const { page: processor } = await openApp(browser, recorded);
  await notice(processor, "Shared run").waitFor(PATIENCE);
  await button(processor, "Dismiss").click();
  await button(processor, "Run").first().click();
  await notice(processor, "Reproduced: within tolerance").waitFor(PATIENCE);
  await processor.context().close();
}, 600_000);

/** It goes on for as long as it is looked at. */
const LONG = "#/play?v=1&p=refund-desk&from=blank&updates=4000&algorithm.groupSize=4&algorithm.groupsPerUpdate=4&evaluation.every=4000&evaluation.tasks=4&evaluation.trials=1&s=5";

test("an evidence link stays as it is while the run goes on, until it is renewed; what cannot be made is told", async () => {
  const { page } = await openApp(browser, LONG);
  await page.locator(".backend", { hasText: "WASM" }).waitFor(PATIENCE);
  await page.route(/evidence-codec/, (route) => route.abort());
  await button(page, "Run").first().click();
  await page.waitForFunction(() => (document.querySelector("progress")?.value ?? 0) >= 1, undefined, PATIENCE);
  await button(page, "Share").click();
  await page.getByRole("tab", { name: "Link with evidence" }).click();
  await page.getByRole("alert").filter({ hasText: "could not be put into a link" }).waitFor(PATIENCE);
  await page.context().close();

  const { page: other } = await openApp(browser, LONG);
  await other.locator(".backend", { hasText: "WASM" }).waitFor(PATIENCE);
  await button(other, "Run").first().click();
  await button(other, "Share").click();
  await other.getByRole("tab", { name: "Link with evidence" }).click();
  const field = other.getByRole("textbox", { name: "Link" });
  await expect.poll(async () => ((await field.count()) === 0 ? "" : field.inputValue()), PATIENCE).toContain("&e=");
  const first = await field.inputValue();
  await other.getByText("the run has gone on since").waitFor(PATIENCE);
  await other.waitForTimeout(1_500);
  expect(await field.inputValue()).toBe(first);
  await button(other, "Renew").click();
  await expect.poll(() => field.inputValue(), PATIENCE).not.toBe(first);
  await other.context().close();
}, 120_000);

test("a teacher's link locks what was chosen, says so, and can be unlocked", async () => {
  const { page } = await openApp(browser);
  await button(page, "Share").click(PATIENCE);
  await page.getByText("Lock controls for a class").click();
  await page.getByRole("checkbox", { name: "Credit" }).check();
  await page.getByRole("checkbox", { name: "Seed" }).check();
  const field = page.getByRole("textbox", { name: "Link" });
  await expect.poll(() => field.inputValue(), PATIENCE).toContain("lock=credit.seed");
  const locked = new URL(await field.inputValue()).hash;
  await page.context().close();

  const { page: pupil, faults } = await openApp(browser, locked);
  await notice(pupil, "Shared settings").waitFor(PATIENCE);
  expect(await pupil.getByLabel("Credit", { exact: true }).isDisabled()).toBe(true);
  expect(await pupil.getByLabel("Seed", { exact: true }).isDisabled()).toBe(true);
  expect(await pupil.getByLabel("Group size").isDisabled()).toBe(false);
  expect(await pupil.getByLabel("Seed", { exact: true }).getAttribute("aria-describedby")).toMatch(/-lock$/);
  expect(await button(pupil, "New seed").isDisabled()).toBe(true);
  await pupil.keyboard.press("Shift+R");
  expect(await pupil.getByLabel("Seed", { exact: true }).inputValue()).toBe("1");
  expect(await axeFindings(pupil)).toEqual([]);
  await button(pupil, "Unlock").click();
  expect(await pupil.getByLabel("Credit", { exact: true }).isDisabled()).toBe(false);
  await expect.poll(() => new URL(pupil.url()).hash, PATIENCE).not.toContain("lock=");
  expect(faults).toEqual([]);
  await pupil.context().close();
}, 120_000);

/** The codec is tried with 2,000; these are a second each. */
const SPOILT = Number(process.env["TURNWISE_LINKS"] ?? 40);

test("spoilt links: a message each, no exception, no script that runs, no pause of a tenth of a second", async () => {
  const { page, faults } = await openApp(browser, link);
  await page.locator("#board-title", { hasText: "recorded" }).waitFor(PATIENCE);
  page.on("dialog", (dialog) => {
    throw new Error(`a link opened ${dialog.message()}`);
  });
  // Long tasks, as the browser itself sees them.
  await page.evaluate(() => {
    const seen = { longest: 0 };
    Object.assign(globalThis, { seen });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
    }).observe({ type: "longtask" });
  });
  const open = (fragment: string): Promise<{ readonly longest: number; readonly told: string; readonly settings: string }> =>
    page.evaluate(async (to) => {
      const { seen } = globalThis as unknown as { readonly seen: { longest: number } };
      const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
      location.hash = "#/play";
      await pause(60);
      seen.longest = 0;
      location.hash = to;
      await pause(240);
      return { longest: seen.longest, told: document.querySelector(".notices")?.textContent ?? "", settings: document.querySelector(".recipe form")?.textContent ?? "" };
    }, fragment);
  await open(link);
  // The longest that is taken, and one character more.
  const longest = "#/play?v=1&p=refund-desk&s=7&x=".padEnd(LINK_LIMIT, "A");
  expect((await open(longest)).told).toContain("Not all of this link was taken");
  expect((await open(`${longest}A`)).told).toContain(`The link has ${LINK_LIMIT + 1} characters; allowed are up to ${LINK_LIMIT}.`);
  // Names that nobody knows, as many as there is room for: told without covering the page.
  const names = `#/play?v=1&${Array.from({ length: 1000 }, (_, index) => `x${index}`).join("&")}`;
  expect((await open(names)).told).toContain("And 996 more of the kind.");
  expect((await page.locator(".notices .alert").boundingBox())?.height).toBeLessThan(450);
  let told = 0;
  for (const { kind, link: spoilt } of spoiltLinks(SPOILT, 7)) {
    // An address of a megabyte holds the browser itself up, on an empty page too.
    if (!spoilt.startsWith("#/play?") || spoilt.length > 200_000) continue;
    let outcome = await open(spoilt);
    // The machine may have been busy with something else: the same link is slow every time.
    for (let again = 0; again < 3 && outcome.longest >= 100; again += 1) outcome = await open(spoilt);
    expect(outcome.longest, `${kind}: ${spoilt.slice(0, 200)}`).toBeLessThan(100);
    expect(outcome.settings.length).toBeGreaterThan(100);
    if (/could not be read|Not all of this link/.test(outcome.told)) told += 1;
  }
  expect(told).toBeGreaterThan(0.4 * SPOILT);
  expect(await page.locator(".notices script, .notices img, .notices svg[onload], .notices iframe").count()).toBe(0);
  expect(await page.evaluate(() => "polluted" in {})).toBe(false);
  expect(faults).toEqual([]);
  await page.context().close();
}, 240_000);

describe.each(VIEWS)("%s", (_, options) => {
  test("the shared run, the dialog's tabs by keyboard, its options and a framed panel: axe finds nothing, nothing is clipped", async () => {
    const { page, faults } = await openApp(browser, link, options);
    await page.locator("#board-title", { hasText: "recorded" }).waitFor(PATIENCE);
    expect(await axeFindings(page)).toEqual([]);
    await expectNothingClipped(page);
    await button(page, "Dismiss").click();
    await page.keyboard.press("s");
    await page.getByRole("dialog", { name: "Share" }).waitFor();
    await page.getByRole("tab", { name: "Link", exact: true }).focus();
    for (const name of ["Link with evidence", "File", "Link"]) {
      await page.keyboard.press("ArrowRight");
      const tab = page.getByRole("tab", { name, exact: true });
      expect(await tab.getAttribute("aria-selected")).toBe("true");
      expect(await tab.evaluate((element) => element === document.activeElement)).toBe(true);
      expect(await axeFindings(page)).toEqual([]);
      await expectNothingClipped(page);
    }
    for (const summary of ["Lock controls for a class", "Embed in a page", "Cite"]) await page.getByText(summary).click();
    await page.getByRole("combobox", { name: "Panel" }).selectOption("why");
    await page.getByRole("combobox", { name: "Theme" }).selectOption("light");
    await page.getByLabel("Height, pixels").fill("9999");
    await expect.poll(() => page.getByRole("textbox", { name: "HTML" }).inputValue(), PATIENCE).toMatch(/^<iframe src="[^"<>]*embed=1&amp;panel=why&amp;theme=light" title="Turnwise: Story" width="100%" height="1600" /);
    expect(await axeFindings(page)).toEqual([]);
    await expectNothingClipped(page);
    await page.context().close();

    const { page: framed } = await openApp(browser, link.replace("&e=", "&embed=1&panel=credit&theme=dark&e="), options);
    await framed.getByRole("link", { name: "Open in Turnwise" }).waitFor(PATIENCE);
    await framed.locator("#board-title", { hasText: "recorded" }).waitFor(PATIENCE);
    expect(await framed.locator(".topbar, .why, .recipe, .curves").evaluateAll((elements) => elements.filter((element) => element.checkVisibility()).length)).toBe(0);
    expect(await framed.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
    const whole = (await framed.getByRole("link", { name: "Open in Turnwise" }).getAttribute("href")) ?? "";
    const [reading, original] = await Promise.all([decodeRunLink(whole), decodeRunLink(link)]);
    expect(reading?.extras).toEqual({ ...original?.extras, frame: null });
    expect(reading?.config).toEqual(original?.config);
    expect(await axeFindings(framed)).toEqual([]);
    await expectNothingClipped(framed);
    expect(faults).toEqual([]);
    await framed.context().close();
  }, 180_000);
});
