import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { DESKTOP, expectSound, madeUpRun, PHONE, runTo, type State } from "./made-up-run.ts";
import { button, updatesDone } from "./page.ts";

/** The page over a made-up run: every state it can be in, at the sizes that matter. */

const { open } = madeUpRun();

const failing = (command: (page: Page) => Promise<unknown>) => async (page: Page) => {
  await command(page);
  await page.keyboard.press("Space");
  await page.getByRole("alert").waitFor();
};

const STATES: readonly State[] = [
  ["before anything ran", DESKTOP, async () => {}],
  ["paused with a turn chosen", DESKTOP, async (page) => {
    await runTo(page, 12);
    await page.locator('[data-cell="1:2"]').click();
  }],
  ...["Success", "Reliability", "Signal"].map((name): State => [`${name} as a table`, DESKTOP, async (page) => {
    await runTo(page, 12);
    await button(page, `${name} as a table`).click();
    await page.getByRole("dialog", { name: `${name} as a table` }).waitFor();
  }]),
  ["a table on a phone", PHONE, async (page) => {
    await runTo(page, 12);
    await button(page, "Curves").click();
    await button(page, "Reliability as a table").click();
    await page.getByRole("dialog", { name: "Reliability as a table" }).waitFor();
  }],
  ["the weights of an update", DESKTOP, async (page) => {
    await runTo(page, 40);
    await button(page, "Back 10 updates").click();
    await button(page, "Weights of this update").click();
    await page.getByRole("heading", { name: /Weights after update/ }).waitFor();
  }],
  ["changed settings, one of them wrong", DESKTOP, async (page) => {
    await runTo(page, 2);
    await page.getByLabel("Group size").fill("4");
    await page.getByLabel("Learning rate").fill("7");
    await button(page, "Explain").click();
  }],
  ["backend menu", DESKTOP, (page) => page.locator(".backend").click()],
  ["run failed", DESKTOP, failing((page) => page.evaluate(() => trainer.failAfter(3)))],
  ["device lost", DESKTOP, failing((page) => page.evaluate(() => trainer.loseDeviceAfter(3)))],
  ["worker crashed", DESKTOP, async (page) => {
    await runTo(page, 3);
    await page.evaluate(() => trainer.crash());
  }],
  ["about", DESKTOP, (page) => page.getByRole("link", { name: "About" }).click()],
  ["a laptop with the recipe open", { viewport: { width: 1366, height: 768 } }, async (page) => {
    await runTo(page, 3);
    await button(page, "Recipe").click();
  }],
  ["a tablet", { viewport: { width: 820, height: 1180 } }, (page) => runTo(page, 3)],
  ["phone, before anything ran", PHONE, async () => {}],
  ["phone, credit", PHONE, (page) => runTo(page, 12)],
  ["phone, why", PHONE, async (page) => {
    await runTo(page, 12);
    await page.locator(".why-link").nth(1).click();
  }],
  ["phone, curves", PHONE, async (page) => {
    await runTo(page, 12);
    await button(page, "Curves").click();
  }],
  ["phone, recipe", PHONE, (page) => button(page, "Recipe").click()],
  ["phone, device lost", PHONE, failing((page) => page.evaluate(() => trainer.loseDeviceAfter(3)))],
  ["320 pixels", { viewport: { width: 320, height: 640 } }, (page) => runTo(page, 3)],
];

test.each(STATES)("%s: axe finds nothing in light and dark, nothing is clipped", async (_name, options, reach) => {
  const page = await open({ ...options, colorScheme: "light" });
  await reach(page);
  await expectSound(page);
  await page.context().close();
});

test("the board is walked by arrows; what has focus is shown in full, and its group is held while the run goes on", async () => {
  const page = await open();
  await runTo(page, 5);
  await page.locator('[data-cell][tabindex="0"]').focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  const heading = page.getByRole("complementary", { name: "Inspector" }).getByRole("heading", { level: 2 });
  await expect.poll(() => heading.textContent()).toMatch(/B, turn 2/);
  expect(await page.locator('[role="gridcell"][aria-selected="true"]').count()).toBe(1);
  const held = await page.locator("#board-title").textContent();
  await button(page, "Resume").click();
  await page.waitForFunction(() => (document.querySelector("progress")?.value ?? 0) >= 12);
  expect(await page.locator("#board-title").textContent()).toBe(held);
  await button(page, "Live").click();
  await expect.poll(() => page.locator("#board-title").textContent()).not.toBe(held);
  await page.context().close();
});

test("keys run, pause, step and reset; they rest in fields and can be switched off", async () => {
  const page = await open();
  await page.keyboard.press(".");
  await page.locator(".readout", { hasText: "Update 1 of" }).waitFor();
  await page.keyboard.press(".");
  await page.locator(".readout", { hasText: "Update 2 of" }).waitFor();
  await page.getByLabel("Seed", { exact: true }).focus();
  await page.keyboard.press("r");
  await page.keyboard.press("Space");
  expect(await updatesDone(page)).toBe(2);
  await page.locator("#board-title").click();
  await page.keyboard.press("r");
  await page.locator(".readout", { hasText: "not started" }).waitFor();
  expect(await updatesDone(page)).toBe(0);
  await page.keyboard.press("Shift+R");
  await expect.poll(() => page.getByLabel("Seed", { exact: true }).inputValue()).toBe("4217");

  await page.getByRole("link", { name: "About" }).click();
  await page.getByRole("switch", { name: "Single-key shortcuts" }).click();
  await page.getByRole("link", { name: "Play" }).click();
  await page.locator("#board-title").click();
  await page.keyboard.press("Space");
  await page.waitForTimeout(200);
  expect(await updatesDone(page)).toBe(0);
  await page.context().close();
});

test("an edited setting waits for a restart and can be undone", async () => {
  const page = await open();
  await runTo(page, 2);
  const size = page.getByLabel("Group size");
  await size.fill("4");
  const notice = page.getByText("Settings changed: restart to apply");
  await notice.waitFor();
  await button(page, "Undo").click();
  expect(await size.inputValue()).toBe("8");
  expect(await notice.count()).toBe(0);
  await size.fill("4");
  await button(page, "Restart").click();
  await page.waitForFunction(() => document.querySelectorAll("[role=grid] tbody tr").length === 4);
  expect(await notice.count()).toBe(0);
  await page.context().close();
});

test.each([["a desktop", DESKTOP], ["a phone", PHONE]] as const)("on %s the address of no page is said to be none until another is gone to", async (_name, options) => {
  const page = await open(options, "#/nowhere");
  const notice = page.getByRole("heading", { name: "There is no page “nowhere”" });
  await notice.waitFor();
  await expectSound(page);
  await page.getByRole("link", { name: "About" }).click();
  await page.getByRole("link", { name: "Play" }).click();
  await page.locator("#board-title").waitFor({ state: "attached" });
  expect(await notice.count()).toBe(0);
  await page.context().close();
});

test("neither Space nor . starts a finished run anew; its button does, and says so", async () => {
  const page = await open();
  await page.getByLabel("Updates", { exact: true }).fill("3");
  await page.locator("#board-title").click();
  await page.keyboard.press("Space");
  await page.locator(".readout", { hasText: "finished" }).waitFor();
  await page.keyboard.press("Space");
  await page.keyboard.press(".");
  await page.waitForTimeout(300);
  expect(await page.locator(".readout", { hasText: "finished" }).count()).toBe(1);
  expect(await updatesDone(page)).toBe(3);
  await page.evaluate(() => trainer.slowAfter(1));
  await button(page, "Run again").click();
  await page.locator(".readout", { hasText: "running" }).waitFor();
  await page.context().close();
});

test("a value that is not allowed is named below the form, in place of what a restart would change", async () => {
  const page = await open();
  await runTo(page, 2);
  const rate = page.getByLabel("Learning rate", { exact: true });
  await rate.fill("0.002");
  await page.getByText("Settings changed: restart to apply").waitFor();
  await rate.fill("99");
  await page.getByRole("heading", { name: "Learning rate is not allowed" }).waitFor();
  await page.getByText("Learning rate is 99; allowed: a number from 0 to 0.01.").waitFor();
  expect(await page.getByText("Settings changed: restart to apply").count()).toBe(0);
  expect(await button(page, "Restart").count()).toBe(0);
  // The field's own complaint is not covered.
  const isSeen = () => page.locator(".recipe .field-error").evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
  await expect.poll(isSeen).toBe(true);
  await button(page, "Undo").click();
  await expect.poll(() => rate.inputValue()).toBe("0.002");
  await page.context().close();
});

test("a crashed trainer is replaced at a press", async () => {
  const page = await open();
  await runTo(page, 2);
  await page.evaluate(() => trainer.crash());
  await page.getByRole("alert").getByText("memory access out of bounds").waitFor();
  await button(page, "Restart the trainer").click();
  await page.locator(".readout", { hasText: "not started" }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await runTo(page, 1);
  await page.context().close();
});

test("the theme follows the system until it is chosen, and is remembered", async () => {
  const page = await open({ ...DESKTOP, colorScheme: "dark" });
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await ground();
  await button(page, "Theme: as the system").click();
  expect(await ground()).toBe(dark);
  await button(page, "Theme: dark").click();
  const light = await ground();
  expect(light).not.toBe(dark);
  await page.reload();
  await button(page, "Theme: light").waitFor();
  expect(await ground()).toBe(light);
  await page.context().close();
});

test("a long run leaves the layout where it is", async () => {
  const page = await open();
  await page.evaluate(() => trainer.pace(30));
  await page.keyboard.press("Space");
  // What was pressed for: the run's groups in place of the recorded one, on a slow machine later than what counts as an answer.
  await page.getByRole("heading", { name: /^Group of update/ }).waitFor();
  await page.evaluate(() => {
    const shifts: { readonly value: number; readonly moved: readonly string[] }[] = [];
    Object.assign(globalThis, { shifts });
    interface Shift extends PerformanceEntry {
      readonly value: number;
      readonly hadRecentInput: boolean;
      readonly sources: readonly { readonly node: Node | null; readonly previousRect: DOMRectReadOnly; readonly currentRect: DOMRectReadOnly }[];
    }
    const place = ({ x, y, width, height }: DOMRectReadOnly): string => [x, y, width, height].map(Math.round).join(" ");
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
        const moved = sources.map(({ node, previousRect, currentRect }) => `${node?.parentElement?.className}: ${node?.textContent?.slice(0, 40)} (${place(previousRect)} to ${place(currentRect)})`);
        if (!hadRecentInput) shifts.push({ value, moved });
      }
    }).observe({ type: "layout-shift" });
  });
  await page.waitForFunction(() => (document.querySelector("progress")?.value ?? 0) >= 60);
  const shifts = await page.evaluate<{ value: number; moved: string[] }[]>("shifts");
  const worst = shifts.toSorted((a, b) => b.value - a.value).slice(0, 3);
  expect(shifts.reduce((sum, { value }) => sum + value, 0), JSON.stringify(worst)).toBeLessThan(0.02);
  await page.context().close();
});
