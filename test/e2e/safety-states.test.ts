import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { DESKTOP, madeUpRun, NARROW, PHONE, run } from "./made-up-run.ts";
import { axeFindings, button, expectNothingClipped, reached, readout, updatesDone } from "./page.ts";

/** Over a made-up run: what the page says when something goes wrong, and what it then can do. */

const { open } = madeUpRun();

const notice = (page: Page, title: string | RegExp) => page.locator(".notices h2", { hasText: title });

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
  await page.getByRole("alert").getByText("“Groups” decides how much an update takes: try 16").waitFor();
  await button(page, /^Go on from update \d+ with groups 16$/).click();
  await reached(page, 9);
  expect(await page.getByLabel("Groups", { exact: true }).inputValue()).toBe("16");
  await page.context().close();
});

test("a run left unfinished goes on with all that was before, or is deleted", async () => {
  const page = await open(DESKTOP, "?left");
  // Of a run that gets far before it is paused not every group is kept.
  await page.evaluate(() => trainer.pace(400));
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
  await expect.poll(() => other.locator(".notices h2").count()).toBe(0);
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
  await page.locator(".transport-keys .speed").selectOption("½ /s");
  // What was done before the choice reached the worker is still shown for a moment.
  let before = 0;
  const withinThreeSeconds = async (): Promise<number> => {
    before = await updatesDone(page);
    await page.waitForTimeout(3_000);
    return (await updatesDone(page)) - before;
  };
  await expect.poll(withinThreeSeconds, { timeout: 30_000 }).toBeLessThanOrEqual(2);
  expect(await readout(page, "running").count()).toBe(1);
  await page.locator(".transport-keys .speed").selectOption("×1");
  await reached(page, before + 10);
  await page.context().close();
});

test("full storage: the run and its weights can be taken away, and nothing is missing from the file", async () => {
  const page = await open();
  await page.evaluate(() => trainer.fillStorage());
  await run(page, 5);
  await notice(page, "Storage is full").waitFor();
  const download = async (name: string): Promise<{ readonly file: string; readonly bytes: Buffer }> => {
    const [taken] = await Promise.all([page.waitForEvent("download"), button(page, name).click()]);
    return { file: taken.suggestedFilename(), bytes: readFileSync(await taken.path()) };
  };
  const whole = await download("Download the run");
  expect(whole.file).toBe("turnwise-refund-desk-seed-1-run.json.gz");
  const [head, ...lines] = gunzipSync(whole.bytes).toString().trim().split("\n").map((line): { type?: string; update?: number; events?: number; hasSnapshot?: boolean } => JSON.parse(line) as object);
  // The weights too, where the newest that came are of the last update.
  const events = head?.hasSnapshot === true ? lines.slice(0, -1) : lines;
  expect(head).toMatchObject({ format: "turnwise-run", version: 2, events: events.length });
  expect(events[0]?.type).toBe("run-started");
  const updates = events.filter(({ type }) => type === "update").map(({ update }) => update);
  expect(updates).toEqual(Array.from({ length: updates.length }, (_, index) => index + 1));
  expect(updates.length).toBeGreaterThanOrEqual(5);
  const weights = await download("Download its weights");
  expect(weights.file).toMatch(/^turnwise-refund-desk-seed-1-update-\d+\.safetensors$/);
  expect(weights.bytes.length).toBeGreaterThan(1_000);
  await page.context().close();
});
