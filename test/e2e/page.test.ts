import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { readCheckpoint } from "#engine/checkpoint.ts";
import { openApp, updatesDone, ownBrowser } from "./page.ts";

/** The built app with the real trainer in its worker, on WASM. */

const browser = ownBrowser();

const readout = (page: Page) => page.locator(".readout");
const chip = (page: Page) => page.locator(".backend");

/** Small and without a held-out evaluation's wait: the policy starts blank, decoding keeps to well-formed calls. */
async function makeSmall(page: Page): Promise<void> {
  await page.getByLabel("Start from").selectOption("blank");
  await page.getByLabel("Group size").fill("4");
  await page.getByLabel("Groups", { exact: true }).fill("4");
  await page.getByLabel("Updates", { exact: true }).fill("8");
  await page.locator("#board-title").click();
}

async function openReady(): Promise<{ readonly page: Page; readonly faults: readonly string[] }> {
  const opened = await openApp(browser());
  await chip(opened.page).getByText("WASM").waitFor();
  return opened;
}

test("Run makes the newest group appear, pause holds it, and the same seed makes it again", async () => {
  const { page, faults } = await openReady();
  await makeSmall(page);
  const boardAfter = async (updates: number): Promise<string> => {
    for (let update = 1; update <= updates; update += 1) {
      await page.keyboard.press(".");
      await page.locator(".readout", { hasText: `Update ${update} of` }).waitFor({ timeout: 60_000 });
      await readout(page).getByText("paused").waitFor();
    }
    await page.locator("#board-title", { hasText: `update ${updates}` }).waitFor();
    return page.locator("[role=grid]").innerText();
  };
  const first = await boardAfter(2);
  await page.keyboard.press("r");
  await readout(page).getByText("not started").waitFor();
  expect(await boardAfter(2)).toBe(first);
  await page.keyboard.press("Shift+R");
  expect(await boardAfter(2)).not.toBe(first);

  await page.keyboard.press("Space");
  await readout(page).getByText("finished").waitFor({ timeout: 60_000 });
  expect(await updatesDone(page)).toBe(8);
  expect(faults).toEqual([]);
  await page.context().close();
});

test("the run goes on from an update whose weights are kept, to the same groups; the weights come as a file", async () => {
  const { page, faults } = await openReady();
  await makeSmall(page);
  const chips = () => page.locator("[role=grid] [data-cell]").allInnerTexts();
  for (const update of [1, 2, 3]) {
    await page.keyboard.press(".");
    await page.locator(".readout", { hasText: `Update ${update} of` }).waitFor({ timeout: 60_000 });
    await readout(page).getByText("paused").waitFor();
  }
  await page.locator("#board-title", { hasText: "update 3" }).waitFor();
  const before = await chips();
  await page.getByLabel("Go to update").fill("2");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Weights of this update" }).click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download the weights" }).click()]);
  expect(file.suggestedFilename()).toBe("turnwise-refund-desk-seed-1-update-2.safetensors");
  const { model, notes } = readCheckpoint(new Uint8Array(readFileSync(await file.path())));
  expect(model).toMatchObject({ layers: 2, width: 64 });
  expect(notes).toMatchObject({ seed: "1", update: "2", arithmetic: "simd128" });

  await page.getByRole("button", { name: "Go on from update 2" }).click();
  await readout(page).getByText("finished").waitFor({ timeout: 60_000 });
  await page.getByLabel("Go to update").fill("3");
  await page.keyboard.press("Enter");
  await page.locator("#board-title", { hasText: "update 3" }).waitFor();
  expect(await chips()).toEqual(before);
  expect(faults).toEqual([]);
  await page.context().close();
});

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the thread's own time: what a task takes on a machine that has nothing else to do. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Milliseconds of each task of the page's main thread while `work` runs. */
async function mainThreadTasks(page: Page, work: () => Promise<unknown>): Promise<readonly number[]> {
  await browser().startTracing(page, { categories: ["toplevel"] });
  await work();
  const { traceEvents }: { readonly traceEvents: readonly TraceEvent[] } = JSON.parse((await browser().stopTracing()).toString());
  const main = traceEvents.find(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  return traceEvents
    .filter(({ name, ph, pid, tid }) => name === "ThreadControllerImpl::RunTask" && ph === "X" && pid === main?.pid && tid === main.tid)
    .map(({ tdur = 0 }) => tdur / 1000);
}

test("the first group comes soon after Run, and training leaves the main thread free", async () => {
  const { page } = await openReady();
  await page.getByLabel("Start from").selectOption("blank");
  await page.locator("#board-title").click();
  const appeared = page.evaluate(async () => {
    const since = performance.now();
    while (document.querySelector("[data-cell]") === null) await new Promise((resolve) => requestAnimationFrame(resolve));
    return performance.now() - since;
  });
  await page.keyboard.press("Space");
  expect(await appeared).toBeLessThan(1500);

  const seconds = 10;
  const tasks = await mainThreadTasks(page, () => page.waitForTimeout(seconds * 1000));
  expect(tasks.length).toBeGreaterThan(100);
  expect(Math.max(...tasks)).toBeLessThan(100);
  expect(tasks.filter((task) => task > 50).length).toBeLessThanOrEqual(seconds / 10);
  expect(tasks.reduce((sum, task) => sum + task, 0) / (seconds * 1000)).toBeLessThan(0.25);
  await page.context().close();
});

test("a worker that cannot be loaded says so, and another press brings it back", async () => {
  const { page } = await openApp(browser());
  await page.context().route("**/trainer.worker*.js", (route) => route.abort());
  await page.reload();
  await page.getByRole("alert").getByText("The trainer worker could not be started.").waitFor();
  await page.context().unroute("**/trainer.worker*.js");
  await page.getByRole("button", { name: "Restart the trainer" }).click();
  await chip(page).getByText("WASM").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await page.context().close();
});

test("a base policy that cannot be loaded is named, and a blank one still runs", async () => {
  const { page } = await openApp(browser());
  await page.context().route("**/policies/*", (route) => route.fulfill({ status: 404 }));
  await page.reload();
  await page.getByRole("alert").getByText("base policy could not be loaded").waitFor();
  await makeSmall(page);
  await page.keyboard.press(".");
  await page.locator(".readout", { hasText: "Update 1 of" }).waitFor({ timeout: 60_000 });
  expect(await page.getByRole("alert").count()).toBe(0);
  await page.context().close();
});
