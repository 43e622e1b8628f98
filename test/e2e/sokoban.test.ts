import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { axeFindings, expectNothingClipped, openApp, ownBrowser } from "./page.ts";

/** A person plays levels, brings some along, adds plays to the demonstrations, and sees where the policy went another way. */

const browser = ownBrowser();

const SOKOBAN = "#/play?v=1&p=sokoban&updates=4&evaluation.every=4&evaluation.tasks=4&evaluation.trials=1&s=3";
/** A training level, as a link has it. */
const LEVEL = `#/level/${encodeURIComponent("6#|#@$.-#|#----#|#---##|#----#|6#")}`;

async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => [...document.querySelectorAll("select")].some(({ value }) => value === "sokoban"));
}
const go = (page: Page, fragment: string): Promise<void> => page.evaluate((to) => void (location.hash = to), fragment);
const press = async (page: Page, keys: readonly string[]): Promise<void> => {
  await page.locator(".sokoban-board").focus();
  for (const key of keys) await page.keyboard.press(key);
};
const drop = (page: Page, name: string, text: string): Promise<void> =>
  page.evaluate(([title, content]) => {
    const carried = new DataTransfer();
    carried.items.add(new File([content], title));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
  }, [name, text] as const);

test.each([["a desktop", { width: 1440, height: 900 }], ["a phone", { width: 390, height: 844 }]] as const)("a level by link, played with the keys, is added and removed on %s", async (_name, viewport) => {
  const { page, faults } = await openApp(browser(), SOKOBAN, { viewport });
  await settled(page);
  await go(page, LEVEL);
  await page.getByRole("heading", { name: "A level by hand" }).waitFor();
  expect(await page.getByRole("button", { name: "Add to the demonstrations" }).count()).toBe(0);
  await press(page, ["ArrowDown", "ArrowDown", "Backspace", "ArrowUp", "ArrowRight"]);
  await page.getByText("3 moves, 1 push: solved.").waitFor();
  await page.getByRole("button", { name: "Add to the demonstrations" }).click();
  await page.getByText("1 in the settings, and in the link").waitFor();
  // The same once more is none the more.
  await page.getByText("Not to be learnt from: it is among them already.").waitFor();
  await page.getByRole("button", { name: "Imitate in the next run" }).click();
  await page.getByText("the next run learns from them").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await expectNothingClipped(page);

  await go(page, "#/play");
  await expect.poll(() => page.evaluate(() => decodeURIComponent(location.hash)), { timeout: 10_000 }).toMatch(/environment\.plays=6#\|#@\$\.-#.*:duR|z=/);
  await go(page, LEVEL);
  await page.getByRole("button", { name: "Remove play 1" }).click();
  expect(await page.getByText("in the settings, and in the link").count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Own plays");
  expect(faults).toEqual([]);
  await page.context().close();
});

test("levels are dropped or pasted; what is none is refused with reason and line, and the one before stays", async () => {
  const { page, faults } = await openApp(browser(), SOKOBAN);
  await settled(page);
  // From the recipe; a level is there to begin with, and another after it.
  await page.locator(".recipe").getByRole("link", { name: "Play a level by hand" }).click();
  const level = page.getByRole("link", { name: "Link to this level" });
  const first = await level.getAttribute("href");
  await page.getByRole("button", { name: "Another level" }).click();
  await expect.poll(() => level.getAttribute("href")).not.toBe(first);
  expect(await page.locator(".sokoban-board").count()).toBe(1);
  await page.getByText("A level of your own").click();
  const alert = page.locator(".sokoban-fault");
  await drop(page, "bad.xsb", "; first\n#####\n#@$ #\n#####\n");
  await expect.poll(() => alert.allInnerTexts()).toContain("Refused: line 2: there are 1 boxes and only 0 goals.");
  await drop(page, "good.sok", "Two\n\n#####\n#@$.#\n#####\nTitle: one\n\n######\n#@$ .#\n######\nTitle: two\n");
  await page.getByLabel("Level of the file").selectOption("1");
  expect(await page.getByLabel("Level of the file").inputValue()).toBe("1");
  // Text that is dragged is nobody's file.
  expect(await page.evaluate(() => {
    const carried = new DataTransfer();
    carried.setData("text/plain", "#####");
    return ["dragover", "drop"].map((type) => document.body.dispatchEvent(new DragEvent(type, { dataTransfer: carried, bubbles: true, cancelable: true })));
  })).toEqual([true, true]);
  await press(page, ["ArrowRight", "ArrowRight"]);
  await page.getByText("2 moves, 2 pushes: solved.").waitFor();
  await drop(page, "bad.txt", "#####\n#@$x#\n#####\n");
  await expect.poll(() => alert.allInnerTexts()).toContain('Refused: line 2: "x" at column 4 is no cell; allowed are # @ + $ * . - _ and space.');
  expect(await page.locator(".sokoban-board").count()).toBe(1);
  // Larger than places go.
  await page.getByLabel(/^Level: # wall/).fill(`${"#".repeat(14)}\n#@$.${" ".repeat(9)}#\n${"#".repeat(14)}`);
  await page.getByRole("button", { name: "Play it" }).click();
  await page.getByText("The policy of these settings could not play this level: it is 12 × 1").waitFor();
  // It has the keys at once.
  await page.keyboard.press("ArrowRight");
  await page.getByText("1 move, 1 push").waitFor();
  await go(page, "#/level/5%23%7C%23-$.%23%7C5%23");
  await page.getByText("The level in the link is refused: line 1: there is no player").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

test("a person's play stands beside the policy's, from the first move that differs", async () => {
  const { page, faults } = await openApp(browser(), SOKOBAN);
  await settled(page);
  await page.getByRole("button", { name: /^Run/ }).first().click();
  await page.waitForFunction(() => (document.querySelector("progress")?.value ?? 0) >= 1, undefined, { timeout: 90_000 });
  await page.keyboard.press("Space");
  await page.locator('[data-cell="0:0"]').click();
  const first = (await page.locator('[data-cell="0:0"]').getAttribute("aria-label")) ?? "";
  const taken = /turn 1: (Left|Up|Right|Down)/.exec(first)?.[1];
  await page.getByRole("tab", { name: "Board" }).click();
  await page.getByLabel("Play this level yourself").check();
  await page.waitForFunction(() => document.activeElement?.matches(".sokoban-board"));
  // The first way that is open and not the policy's.
  for (const way of ["Left", "Up", "Right", "Down"].filter((name) => name !== taken)) {
    await press(page, [`Arrow${way}`]);
    if (await page.getByText("1 move,").count() > 0) break;
  }
  await page.getByText(/^Move 1 differs: you went \w+, the policy \w+\.$/).waitFor();
  expect(await page.locator(".sokoban-pair figure").count()).toBe(2);
  expect(await page.locator(".sokoban-pair figcaption").allInnerTexts()).toEqual(["You, move 1", "Policy, A, move 1"]);
  expect(await page.locator(".sokoban-lines .is-differing").count()).toBe(2);
  expect(await axeFindings(page)).toEqual([]);
  await expectNothingClipped(page);
  // Boards are drawn in the turns as well, without a wall around them.
  expect(await page.locator(".grid .chip .board-thumb path").count()).toBeGreaterThan(8);
  // Where turns scroll, what came of an attempt keeps its distance from the edge.
  const margins = await page.locator(".grid.is-wide .end-cell .strip-num, .grid.is-wide .end-outcome").evaluateAll((cells) =>
    cells.map((cell) => (cell.closest(".board")?.getBoundingClientRect().right ?? 0) - cell.getBoundingClientRect().right));
  expect(margins.length).toBeGreaterThan(8);
  expect(Math.min(...margins)).toBeGreaterThanOrEqual(15);
  expect(faults).toEqual([]);
  await page.context().close();
});
