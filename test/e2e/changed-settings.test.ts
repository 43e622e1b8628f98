import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { endOfUpdate } from "#run/run-event.ts";
import { readRunFile, type RunFile } from "#share/run-file-reader.ts";
import { DESKTOP, expectSound, madeUpRun, NARROW, run, runTo } from "./made-up-run.ts";
import { button, openApp, ownBrowser, PATIENCE, readout, reached, updatesDone } from "./page.ts";

/** Settings that change in the middle of a run: by the dial, with the real trainer and storage; what is said of it, over a made-up run. */

const browser = ownBrowser();
const { open } = madeUpRun();
const folder = mkdtempSync(join(tmpdir(), "turnwise-changed-"));
afterAll(() => rmSync(folder, { recursive: true }));

const SMALL = "#/play?v=1&p=refund-desk&from=blank&algorithm.groupSize=8&algorithm.groupsPerUpdate=2&updates=400&evaluation.every=50&evaluation.tasks=4&evaluation.trials=2&s=11";

async function downloaded(page: Page, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const [file] = await Promise.all([page.waitForEvent("download"), button(page, name).click()]);
  return new Uint8Array(readFileSync(await file.path()));
}
const textOf = async (page: Page, name: string): Promise<string> => new TextDecoder().decode(await downloaded(page, name));
const changesIn = ({ events }: RunFile) => events.filter((event) => event.type === "settings-changed");

async function openShare(page: Page, tab: "Link" | "Link with evidence" | "File"): Promise<void> {
  if ((await page.getByRole("dialog").count()) === 0) await button(page, "Share").click();
  await page.getByRole("tab", { name: tab, exact: true }).click();
}
async function runFile(page: Page): Promise<readonly [RunFile, Uint8Array<ArrayBuffer>]> {
  await openShare(page, "File");
  const bytes = await downloaded(page, "Run file");
  return [await readRunFile(bytes, { breathe: () => Promise.resolve() }), bytes];
}
const pause = async (page: Page): Promise<void> => {
  await page.locator("#board-title").click();
  await page.keyboard.press("Space");
  await readout(page, "paused").waitFor(PATIENCE);
};

test("trained with the dial from an update on, a run says so in its file, after a reload, in the library and wherever it is opened, and goes on so", async () => {
  const { page, faults } = await openApp(browser(), SMALL);
  await page.locator(".backend", { hasText: "WASM" }).waitFor(PATIENCE);
  for (let update = 1; update <= 3; update += 1) {
    await page.keyboard.press(".");
    await readout(page, `Update ${update} of`).waitFor(PATIENCE);
    await readout(page, "paused").waitFor(PATIENCE);
  }
  await page.locator(".truth-note").waitFor(PATIENCE);
  await page.getByLabel("Share of truth").fill("0.5");
  await page.getByText("groups of 4, not 8").waitFor();
  await button(page, "Train with it from update 2").click();
  await reached(page, 4);
  await pause(page);

  const [file, bytes] = await runFile(page);
  const change = changesIn(file);
  expect(change).toMatchObject([{ update: 2, config: { algorithm: { groupSize: 4, credit: { id: "dial", share: 0.5 } } } }]);
  expect(file.snapshot?.config).toEqual(change[0]?.config);
  const groups = file.events.flatMap((event) => (event.type === "group" ? [[event.group.credits[0]?.id, event.group.members.length]] : []));
  expect(groups.slice(0, 4)).toEqual([["flat", 8], ["flat", 8], ["dial", 4], ["dial", 4]]);
  const csv = (await textOf(page, "Numbers, CSV")).split("\r\n").map((line) => line.split(","));
  const column = csv[0]?.indexOf("credit") ?? -1;
  expect(csv.slice(1, 6).map((row) => row[column])).toEqual(["flat", "flat", "flat", "dial", "dial"]);
  expect(await textOf(page, "Signal, SVG")).toContain("credit: Flat up to update 2, then Dial.");

  // A reload: offered, gone on with under the dial.
  const before = await updatesDone(page);
  await page.waitForTimeout(500);
  await page.reload();
  await button(page, /^Go on from update \d+$/).click(PATIENCE);
  await reached(page, before + 2);
  await pause(page);
  const [again] = await runFile(page);
  expect(changesIn(again)).toEqual(change);
  const later = again.events.slice(endOfUpdate(again.events, before)).flatMap((event) => (event.type === "group" ? [[event.group.credits[0]?.id, event.group.members.length]] : []));
  expect(new Set(later.map(String))).toEqual(new Set(["dial,4"]));
  await openShare(page, "Link with evidence");
  await page.getByText("The settings of this run were changed after update 2.").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("navigation").getByRole("link", { name: "Runs" }).click();
  await page.locator(".run-item").getByText("settings changed after update 2").waitFor();
  expect(faults).toEqual([]);
  await page.context().close();

  // In another profile the file opens with the same settings, goes on under them, and gives no evidence away.
  const { page: other, faults: otherFaults } = await openApp(browser(), "#/runs");
  const path = join(folder, "run.json.gz");
  writeFileSync(path, bytes);
  await other.getByLabel("Run and policy files").setInputFiles(path);
  await button(other, "Open the run").click();
  await readout(other, "paused").waitFor(PATIENCE);
  expect(await other.getByLabel("Group size").inputValue()).toBe("4");
  const at = file.snapshot?.update ?? 0;
  await other.locator("#board-title").click();
  await other.keyboard.press(".");
  await readout(other, `Update ${at + 1} of`).waitFor(PATIENCE);
  await readout(other, "paused").waitFor(PATIENCE);
  const [there] = await runFile(other);
  expect(changesIn(there)).toEqual(change);
  const last = there.events.findLast((event) => event.type === "group");
  expect([last?.update, last?.group.credits[0]?.id, last?.group.members.length]).toEqual([at + 1, "dial", 4]);
  await openShare(other, "Link with evidence");
  await other.getByText("The settings of this run were changed after update 2.").waitFor();
  expect(await button(other, "Copy link").count()).toBe(0);
  expect(otherFaults).toEqual([]);
  await other.context().close();
}, 300_000);

test.each([["desktop", DESKTOP], ["320 pixels", NARROW]])("%s: the share dialog says from where the settings are others, and offers the file", async (_name, options) => {
  const page = await open(options);
  await runTo(page, 5);
  await page.locator(".truth-note").waitFor();
  await page.getByLabel("Share of truth").fill("0.5");
  const train = button(page, /^Train with it from update \d+$/);
  const from = /\d+/.exec(await train.innerText())?.[0];
  expect(await train.evaluate((element) => document.getElementById(element.getAttribute("aria-describedby") ?? "")?.textContent)).toBe("groups of 4, not 8");
  // In words that can be read, not cut to nothing.
  expect((await page.getByText("groups of 4, not 8").boundingBox())?.width).toBeGreaterThan(80);
  await page.evaluate(() => trainer.slowAfter(6));
  await train.click();
  await reached(page, 6);
  await pause(page);
  await openShare(page, "Link");
  await page.getByText(`The settings of this run were changed after update ${from}: no link tells such a run.`).waitFor();
  expect(await page.getByText("Cite", { exact: true }).count()).toBe(0);
  await expectSound(page);
  await openShare(page, "Link with evidence");
  await page.getByText(`The settings of this run were changed after update ${from}. A link has one set of settings`).waitFor();
  expect(await button(page, "Copy link").count()).toBe(0);
  await expectSound(page);
  await page.context().close();
});

test("a run under one set of settings has its citation and its evidence as before", async () => {
  const page = await open();
  await runTo(page, 5);
  await openShare(page, "Link");
  await page.getByText("Cite", { exact: true }).waitFor();
  expect(await page.locator(".share-changed").count()).toBe(0);
  await openShare(page, "Link with evidence");
  await button(page, "Renew").waitFor();
  await page.context().close();
});

test.each([["credit", true], ["batch", true], ["seed", false]] as const)("a link that locks %s: the dial blends; whether it trains: locked %s", async (lock, isHeld) => {
  const page = await open(DESKTOP, `#/play?v=1&p=refund-desk&lock=${lock}`);
  await run(page, 5);
  await pause(page);
  await page.locator(".truth-note").waitFor();
  await page.getByLabel("Share of truth").fill("0.5");
  const train = button(page, /^Train with it from/);
  await train.waitFor();
  expect(await train.isDisabled()).toBe(isHeld);
  expect(await page.locator(".board-sentence").getByText("Locked by the link").count()).toBe(isHeld ? 1 : 0);
  await page.context().close();
});
