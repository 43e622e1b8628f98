import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { KEY_GROUPS } from "#ui/keys.ts";
import { DESKTOP, expectSound, madeUpRun, NARROW, PHONE, runTo, type State } from "./made-up-run.ts";
import { axeFindings, button, updatesDone } from "./page.ts";

/** Over a made-up run: the recorded group, the inspector's tabs, going back through a run, reliability recounted, alarms. */

const { open, browser, url } = madeUpRun();

const tab = (page: Page, name: string) => page.getByRole("tab", { name }).click();
const title = (page: Page) => page.locator("#board-title").textContent();

const STATES: readonly State[] = [
  ["the recorded group on a laptop", { viewport: { width: 1366, height: 768 } }, async () => {}],
  ["the recorded group on a tablet", { viewport: { width: 820, height: 1180 } }, async () => {}],
  ["the recorded group at 320 pixels", NARROW, async () => {}],
  ["at 200 % zoom", { viewport: { width: 720, height: 450 } }, async () => {}],
  ["the database tab", DESKTOP, async (page) => {
    await page.locator('[data-cell="0:2"]').click();
    await tab(page, "Database");
  }],
  ["the sequence tab", DESKTOP, (page) => tab(page, "Sequence")],
  ["an earlier update", DESKTOP, async (page) => {
    await runTo(page, 60);
    await button(page, "Back 10 updates").click();
  }],
  ["reliability recounted", DESKTOP, async (page) => {
    await runTo(page, 60);
    await button(page, "Recount from the attempts").click();
    await page.getByRole("dialog").locator(".dots svg").waitFor();
  }],
  ["an alarm", DESKTOP, async (page) => {
    await page.getByLabel("Learning rate").fill("0.01");
    await runTo(page, 12);
    await page.locator(".alarm-note.is-on").waitFor();
  }],
  ["help", NARROW, async (page) => {
    await page.getByRole("link", { name: "About" }).click();
    await page.locator(".formula").first().waitFor();
  }],
  ["phone, story: a turn", NARROW, async (page) => {
    await button(page, "Story").click();
    await page.getByText("Filled in").waitFor();
  }],
  ["phone, story: sequence", PHONE, async (page) => {
    await button(page, "Story").click();
    await tab(page, "Sequence");
  }],
  ["phone, story: database", NARROW, async (page) => {
    await button(page, "Story").click();
    await tab(page, "Database");
  }],
  ["phone, an earlier update", NARROW, async (page) => {
    await runTo(page, 12);
    await button(page, "Back 1 update").click();
  }],
];

test.each(STATES)("%s: axe finds nothing in light and dark, nothing is clipped", async (_name, options, reach) => {
  const page = await open({ ...options, colorScheme: "light" });
  await reach(page);
  await expectSound(page);
  await page.context().close();
});

test("without any script the page asks its question over the recorded group", async () => {
  const context = await browser().newContext({ ...DESKTOP, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(url());
  expect(await title(page)).toBe("Four attempts. Two worked. Which turn deserves the credit?");
  expect(await page.locator("[data-cell]:visible").count()).toBe(19);
  expect(await page.locator(".btn-primary:visible").count()).toBe(1);
  await context.close();
});

test.each([["desktop", DESKTOP], ["phone", PHONE]] as const)("%s: the page takes over its own markup, without a shift or a complaint", async (_name, options) => {
  const context = await browser().newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  await page.addInitScript(() => {
    globalThis.addEventListener("DOMContentLoaded", () => {
      document.documentElement.dataset["shift"] = "0";
    });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const shift: unknown = "value" in entry ? entry.value : 0;
        const { dataset } = document.documentElement;
        dataset["shift"] = String(Number(dataset["shift"] ?? 0) + (typeof shift === "number" ? shift : 0));
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(url());
  await page.locator(".backend", { hasText: "WASM" }).waitFor({ state: "attached" });
  await page.waitForTimeout(600);
  expect(faults).toEqual([]);
  expect(Number(await page.evaluate(() => document.documentElement.dataset["shift"]))).toBeLessThan(0.02);
  await context.close();
});

test("the recorded group is read like any other; Run takes its place and Reset brings it back", async () => {
  const page = await open();
  const why = page.getByRole("complementary", { name: "Inspector" });
  const heading = () => why.getByRole("heading", { level: 2 }).textContent();
  expect(await heading()).toBe("Why? D, turn 2: Ask");
  await page.locator('[data-cell][tabindex="0"]').focus();
  await page.keyboard.press("ArrowUp");
  await expect.poll(heading).toMatch(/C, turn 2: Check #/);
  await page.keyboard.press("ArrowRight");
  await tab(page, "Database");
  await why.getByText("This turn changed one value.").waitFor();
  expect(await why.locator("tr.is-changed").innerText()).toMatch(/no\s+now\s+yes/);

  await runTo(page, 2);
  expect(await title(page)).toMatch(/^Group of update/);
  await button(page, "Reset, seed 1").click();
  await page.locator(".is-landing").first().waitFor();
  expect(await heading()).toBe("Why? D, turn 2: Ask");
  await page.context().close();
});

test("tabs are one stop, arrows choose; a message leads to its turn", async () => {
  const page = await open();
  const why = page.getByRole("complementary", { name: "Inspector" });
  // The panel answers to keys as soon as it is hydrated.
  await expect.poll(async () => {
    await page.getByRole("tab", { name: "Turn" }).focus();
    await page.keyboard.press("End");
    return page.evaluate(() => document.activeElement?.textContent);
  }, { timeout: 20_000 }).toBe("Sequence");
  expect(await page.getByRole("tab", { selected: true }).textContent()).toBe("Sequence");
  await why.getByRole("listitem").filter({ hasText: "terminal" }).last().getByRole("button").click();
  await expect.poll(() => why.getByRole("heading", { level: 2 }).textContent()).toMatch(/D, turn 8/);
  expect(await why.locator(".phase.is-lit").count()).toBe(5);
  await page.getByRole("tab", { name: "Sequence" }).focus();
  await page.keyboard.press("ArrowRight");
  expect(await page.getByRole("tab", { selected: true }).textContent()).toBe("Turn");
  expect(await why.getByRole("row", { name: /chosen/ }).count()).toBeGreaterThan(0);
  await page.context().close();
});

test("one goes through the run by buttons, keys and typing; board, numbers and readout go along", async () => {
  const page = await open();
  await runTo(page, 40);
  const last = await updatesDone(page);
  const shown = async (update: number) => {
    await expect.poll(() => title(page)).toBe(`Group of update ${update}`);
    await page.locator(".readout", { hasText: `Update ${update} of` }).waitFor();
    await page.getByText(`update ${update}`, { exact: true }).waitFor();
  };
  await button(page, "Back 10 updates").click();
  await shown(last - 10);
  await button(page, "Back 1 update").click();
  await shown(last - 11);
  await button(page, "Forward 1 update").click();
  await shown(last - 10);
  await page.getByRole("slider", { name: "Update shown" }).focus();
  await page.keyboard.press("ArrowLeft");
  await shown(last - 11);
  await page.keyboard.press("Home");
  await expect.poll(() => title(page)).toBe("Group of update 1");
  await page.getByLabel("Go to update").fill("17");
  await page.keyboard.press("Enter");
  await shown(17);
  expect(await page.getByRole("slider", { name: "Update shown" }).getAttribute("aria-valuetext")).toMatch(/^update 17 of/);
  await page.getByLabel("Go to update").fill("9999");
  await page.keyboard.press("Enter");
  await shown(last);
  expect(await button(page, "Live").getAttribute("aria-pressed")).toBe("false");
  await button(page, "Live").click();
  expect(await button(page, "Live").getAttribute("aria-pressed")).toBe("true");

  await button(page, "Back 10 updates").click();
  await button(page, "Resume").click();
  await page.waitForFunction((least) => (document.querySelector("progress")?.value ?? 0) >= least, last + 5);
  await shown(last - 10);
  await page.context().close();
});

test("from an update whose weights are kept the run goes on, and comes to what it came to before", async () => {
  const page = await open();
  await runTo(page, 20);
  const last = await updatesDone(page);
  await page.getByLabel("Go to update").fill("17");
  await page.keyboard.press("Enter");
  await expect.poll(() => title(page)).toBe("Group of update 17");
  const chips = () => page.locator("[role=grid] [data-cell]").allInnerTexts();
  const before = await chips();
  await page.getByLabel("Go to update").fill("12");
  await page.keyboard.press("Enter");
  await button(page, "Weights of this update").click();
  await page.getByText(`takes back updates 13 to ${last}`).waitFor();
  await button(page, "Go on from update 12").click();
  await expect.poll(() => updatesDone(page)).toBeLessThan(last);
  await page.waitForFunction((least) => (document.querySelector("progress")?.value ?? 0) >= least, last + 2);
  await page.getByLabel("Go to update").fill("17");
  await page.keyboard.press("Enter");
  await expect.poll(() => title(page)).toBe("Group of update 17");
  expect(await chips()).toEqual(before);
  await page.context().close();
});

test("k is chosen on the axis, and its point is recounted from the attempts", async () => {
  const page = await open();
  await runTo(page, 60);
  const card = page.getByRole("article", { name: "Reliability" });
  await card.getByRole("radio", { name: "k = 8" }).focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await card.getByText("pass^6").waitFor();
  await card.getByText(/tasks passed at least 6 of 8/).waitFor();
  const value = (await card.locator(".value").textContent())?.slice(0, 4) ?? "";
  await button(page, "Recount from the attempts").click();
  const dialog = page.getByRole("dialog");
  expect(Math.abs(Number(await dialog.locator("tfoot b").first().textContent()) - Number(value))).toBeLessThan(0.0051);
  await page.keyboard.press("Escape");
  await expect.poll(() => dialog.count()).toBe(0);
  await page.context().close();
});

test("an alarm is said in words beside the number it shows in", async () => {
  const page = await open();
  await page.getByLabel("Learning rate").fill("0.01");
  await runTo(page, 12);
  const card = page.getByRole("article", { name: "Signal" });
  await card.getByText(/above 0.01: the steps are too large/).waitFor();
  expect(await card.locator(".is-alarmed dt").innerText()).toContain("KL");
  await page.context().close();
});

test("a preset is chosen in the recipe; the recorded group is shown beside the settings of its own environment alone", async () => {
  const page = await open();
  await page.getByLabel("Preset").selectOption("sokoban");
  await page.getByText("Nothing computed yet").waitFor();
  expect(await page.locator("[data-cell]").count()).toBe(0);
  await page.locator(".why-empty").waitFor();
  expect(await page.locator(".board").getByRole("link", { name: "Play a level by hand" }).getAttribute("href")).toBe("#/level");
  expect(await axeFindings(page)).toEqual([]);
  const paidFor = () => page.getByLabel("Pays for").locator("option").allInnerTexts();
  expect(await paidFor()).toEqual(["Success", "Some box"]);
  await page.getByLabel("Preset").selectOption("refund-desk-4-orders");
  expect(await paidFor()).toEqual(["Success", "Naive", "Eligible"]);
  expect(await page.getByLabel("Orders").inputValue()).toBe("4");
  expect(await title(page)).toMatch(/^Four attempts/);
  await page.getByLabel("Preset").selectOption("refund-desk");
  expect(await page.getByLabel("Orders").inputValue()).toBe("3");
  await page.context().close();
});

test("on a phone each tab begins at its top and is found again where it was left", async () => {
  const page = await open(PHONE);
  const at = () => page.evaluate(() => scrollY);
  await page.evaluate(() => scrollTo(0, 500));
  await expect.poll(at).toBe(500);
  // The event that tells of it comes with the next frame.
  await page.waitForTimeout(100);
  // A pointer would look for a place where nothing lies over the button, and scroll for it.
  await button(page, "Recipe").dispatchEvent("click");
  expect(await at()).toBe(0);
  await button(page, "Credit").dispatchEvent("click");
  await expect.poll(at).toBe(500);
  await page.context().close();
});

test.each([["at 200 % zoom", { viewport: { width: 720, height: 450 } }], ["on a phone", PHONE], ["on a desktop", DESKTOP]] as const)("%s the field that is edited stays in view when the notice of changes comes", async (_name, options) => {
  const page = await open(options);
  await runTo(page, 2);
  if (options !== DESKTOP) await button(page, "Recipe").click();
  for (const label of ["Group size", "Learning rate", "Seed"]) {
    const field = page.getByLabel(label, { exact: true });
    await field.fill(label === "Learning rate" ? "0.001" : "5");
    await page.getByText("Settings changed: restart to apply").waitFor();
    const isSeen = await field.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const over = document.elementFromPoint(left + width / 2, top + height / 2);
      return over === element;
    });
    expect(isSeen, label).toBe(true);
    await button(page, "Undo").click();
  }
  await page.context().close();
});

test("every key that is listed acts, and no letter that is not", async () => {
  const page = await open();
  await runTo(page, 12);
  await page.locator('[data-cell="1:1"]').click();
  /** Whether the page takes the key for itself. */
  const isTaken = (press: string): Promise<boolean> =>
    page.evaluate((text) => {
      const parts = text.split(" ");
      const isShift = parts.length > 1;
      const name = parts.at(-1) ?? "";
      const ARROWS: Readonly<Record<string, string>> = { "←": "ArrowLeft", "→": "ArrowRight", "↑": "ArrowUp", "↓": "ArrowDown", "Space": " ", "Esc": "Escape" };
      const CODES: Readonly<Record<string, string>> = { ".": "Period", ",": "Comma" };
      const key = ARROWS[name] ?? (/^[A-Z]$/.test(name) ? (isShift ? name : name.toLowerCase()) : isShift && name === "." ? ">" : isShift && name === "," ? "<" : name);
      const onBoard = ["ArrowUp", "ArrowDown", "Home", "End"].includes(key);
      const target = onBoard ? document.querySelector('[role=grid] [data-cell][tabindex="0"]') : document.body;
      const event = new KeyboardEvent("keydown", { key, code: CODES[name] ?? "", shiftKey: isShift, bubbles: true, cancelable: true });
      target?.dispatchEvent(event);
      return event.defaultPrevented;
    }, press);
  const lines = KEY_GROUPS.filter(({ title }) => title !== "Credit").flatMap(({ lines }) => lines.flatMap(({ keys }) => keys));
  // Those that end what is looked at come last.
  const last = ["Space", "R", "Shift R"];
  for (const press of [...lines.filter((key) => !last.includes(key)), ...last]) {
    expect(await isTaken(press), press).toBe(true);
    await page.keyboard.press("Escape");
    await page.evaluate(() => document.querySelector<HTMLElement>('[data-cell="1:1"]')?.click());
  }
  const listed = new Set(KEY_GROUPS.flatMap(({ lines: some }) => some.flatMap(({ keys }) => keys)));
  for (const letter of "ABCDEFGHIJKLMNOPQRSTUVWXYZ") if (!listed.has(letter)) expect(await isTaken(letter), letter).toBe(false);
  await page.context().close();
});
