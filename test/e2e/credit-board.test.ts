import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { DESKTOP, expectSound, madeUpRun, run } from "./made-up-run.ts";
import type {} from "./page-harness/harness.tsx";
import { button, readout } from "./page.ts";

/** The credit board over the recorded group and over a made-up run: both views, forks, the dial, by keys and by touch. */

const { open } = madeUpRun();

const LAPTOP: BrowserContextOptions = { viewport: { width: 1366, height: 768 } };
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true };
const NARROW: BrowserContextOptions = { viewport: { width: 320, height: 640 } };

/** Runs to an update and pauses there, until its truth is known. */
async function runTo(page: Page, update: number): Promise<void> {
  await run(page, update);
  await page.keyboard.press("Space");
  await readout(page, "paused").waitFor({ state: "attached" });
  await page.locator(".truth-note").waitFor();
}

const scheme = (page: Page) => page.getByLabel("Scheme beside truth").inputValue();
const focusView = (page: Page) => page.locator(".matrix").waitFor();
/** What a screen reader would say of what has the focus. */
const spoken = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");

async function forked(page: Page): Promise<void> {
  await page.keyboard.press("f");
  await page.getByRole("radio").first().waitFor();
  await button(page, "Run once").click();
  await button(page, "Run ×64").click();
  await page.locator(".futures-say").waitFor();
}

type State = readonly [name: string, options: BrowserContextOptions, reach: (page: Page) => Promise<unknown>];

const STATES: readonly State[] = [
  ["the recorded group", DESKTOP, async () => {}],
  ["a group of eight with truth", DESKTOP, (page) => runTo(page, 8)],
  ["only the mismatches", LAPTOP, (page) => page.locator("button.count").click()],
  ["truth alone, given the hidden state", DESKTOP, async (page) => {
    await page.keyboard.press("1");
    await page.getByLabel("Truth is given").selectOption("state");
  }],
  ["the dial", DESKTOP, (page) => page.getByLabel("Share of truth").fill("0.5")],
  ["one trajectory under all schemes", DESKTOP, async (page) => {
    await page.keyboard.press("g");
    await focusView(page);
  }],
  ["more schemes", LAPTOP, async (page) => {
    await page.keyboard.press("g");
    await page.getByLabel("More schemes").selectOption("hgpo");
    await page.locator(".matrix", { hasText: "HGPO" }).waitFor();
  }],
  ["a fork with two futures", DESKTOP, forked],
  ["a rewound trajectory", DESKTOP, async (page) => {
    await page.keyboard.press("f");
    await page.getByRole("radio").first().waitFor();
    await button(page, "Rewind").click();
    await button(page, "Restore").waitFor();
  }],
  ["a tablet, focus", { viewport: { width: 820, height: 1180 } }, async (page) => {
    await page.keyboard.press("g");
    await focusView(page);
  }],
  ["a phone", PHONE, async () => {}],
  ["a phone, all schemes", PHONE, async (page) => {
    await button(page, /^All schemes for/).click();
    await page.getByRole("dialog").locator("dl").first().waitFor();
  }],
  ["a phone, why", PHONE, async (page) => {
    await page.locator(".why-link").nth(1).click();
    await page.locator(".filled").first().waitFor();
  }],
  ["a phone, a fork", PHONE, async (page) => {
    await page.locator(".why-link").nth(1).click();
    await button(page, "Branch from here").click();
    await page.getByRole("radio").first().waitFor();
    await button(page, "Run ×64").click();
    await page.locator(".futures-say").waitFor();
  }],
  ["320 pixels, all schemes", NARROW, async (page) => {
    await button(page, /^All schemes for/).click();
    await page.getByRole("dialog").locator("dl").first().waitFor();
  }],
];

test.each(STATES)("%s: axe finds nothing in light and dark, nothing is clipped", async (_name, options, reach) => {
  const page = await open({ ...options, colorScheme: "light" });
  await reach(page);
  await expectSound(page);
  await page.context().close();
});

test("all schemes of a turn have one zero line", async () => {
  const page = await open(PHONE);
  await button(page, /^All schemes for/).click();
  await page.getByRole("dialog").locator("dl").first().waitFor();
  const bars = await page.getByRole("dialog").locator(".strip .bar").evaluateAll((all) => all.map((bar) => [bar.getBoundingClientRect().left, bar.getBoundingClientRect().right].join()));
  expect(bars.length).toBeGreaterThan(12);
  expect(new Set(bars).size).toBe(1);
  await page.context().close();
});

describe("keys", () => {
  test("1 to 6 choose the scheme, T takes truth off and on, G changes the view; they are the buttons' twins", async () => {
    const page = await open();
    // Keys are pressed until the board listens.
    await expect.poll(async () => (await page.keyboard.press("3"), scheme(page))).toBe("process");
    const seen: string[] = [];
    for (const key of ["2", "3", "4", "5", "6", "1"]) {
      await page.keyboard.press(key);
      seen.push(await scheme(page));
    }
    expect(seen).toEqual(["flat", "process", "gigpo", "critic", "istar", "truth"]);
    await page.keyboard.press("2");
    const strips = () => page.locator(".grid .strip.is-truth").count();
    expect(await strips()).toBe(19);
    await page.keyboard.press("t");
    expect(await strips()).toBe(0);
    expect(await button(page, /^T ?Truth$/).or(page.locator(".toggle")).first().getAttribute("aria-pressed")).toBe("false");
    await page.keyboard.press("t");
    expect(await strips()).toBe(19);
    await page.keyboard.press("g");
    await focusView(page);
    expect(await button(page, "Focus").getAttribute("aria-pressed")).toBe("true");
    await button(page, "Group").click();
    expect(await page.locator(".matrix").count()).toBe(0);
    await page.context().close();
  });

  test("M goes from one turn whose sign differs to the next, and round", async () => {
    const page = await open();
    await runTo(page, 6);
    const total = Number((await page.locator("button.count").innerText()).match(/(\d+) of/)?.[1]);
    expect(total).toBeGreaterThan(1);
    const visited: string[] = [];
    for (let press = 0; press <= total; press += 1) {
      await page.keyboard.press("m");
      await expect.poll(() => page.locator('.grid [aria-selected="true"]').count()).toBe(1);
      const cell = page.locator('.grid [aria-selected="true"]');
      expect(await cell.getAttribute("class")).toContain("is-neq");
      visited.push((await cell.locator("[data-cell]").getAttribute("data-cell")) ?? "");
    }
    expect(new Set(visited.slice(0, total)).size).toBe(total);
    expect(visited[total]).toBe(visited[0]);
    await page.context().close();
  });

  test("B runs the choice 64 times below the trajectory, and its success stands there with an interval", async () => {
    const page = await open();
    await page.keyboard.press("b");
    const say = page.locator(".futures-say");
    await say.waitFor();
    expect(await say.innerText()).toMatch(/succeeds 51 times of 64: 0\.80, 95 % interval 0\.\d\d to 0\.\d\d\./);
    expect(await page.locator(".tree tbody tr").count()).toBe(2);
    await page.context().close();
  });

  test("the matrix is walked by arrows with one tab stop, each cell says its value, and the turn shown follows", async () => {
    const page = await open();
    await page.keyboard.press("g");
    await focusView(page);
    expect(await page.locator('.matrix [tabindex="0"]').count()).toBe(1);
    await page.locator('.matrix [tabindex="0"]').focus();
    await page.keyboard.press("ArrowDown");
    expect(await spoken(page)).toMatch(/^Truth, turn 2: skill \+0\.16, luck \+0\.01$/);
    await page.keyboard.press("ArrowDown");
    expect(await spoken(page)).toMatch(/^Flat GRPO, turn 2: Flat GRPO −1\.00, sign differs from truth$/);
    await page.keyboard.press("ArrowRight");
    expect(await spoken(page)).toMatch(/^Flat GRPO, turn 3: Flat GRPO −1\.00$/);
    await expect.poll(() => page.locator(".why h2").innerText()).toMatch(/D, turn 3/);
    await page.keyboard.press("End");
    expect(await spoken(page)).toMatch(/turn 8/);
    await page.keyboard.press("k");
    await expect.poll(() => page.locator("#board-title").innerText()).toBe("Trajectory C");
    await page.context().close();
  });
});

describe("truth", () => {
  test("comes at a pause, stands as a second view that says what it pays, and is not asked for while the run goes on", async () => {
    const page = await open();
    await page.evaluate(() => trainer.pace(200));
    await page.keyboard.press("Space");
    await page.waitForFunction(() => (document.querySelector("progress")?.value ?? 0) >= 2);
    expect(await page.getByText("pause to measure it").count()).toBe(1);
    expect(await page.locator(".grid .strip.is-truth").count()).toBe(0);
    await page.keyboard.press("Space");
    await page.locator(".truth-note").waitFor();
    expect(await page.locator(".truth-note").innerText()).toMatch(/Truth branched, K = 64, ±0\.\d\d/);
    await page.getByLabel("Truth is given").selectOption("state");
    await page.getByText("pays lucky guesses,").waitFor();
    await page.context().close();
  });

  test("the meters tell shares with their counts, and too few good questions as too few", async () => {
    const page = await open();
    await runTo(page, 3);
    const meters = page.locator(".meters");
    await expect.poll(() => meters.innerText()).toMatch(/Agreement\s+0\.42/);
    expect(await meters.innerText()).toMatch(/Wrong signs\s+31 %\s+of 84/);
    expect(await meters.innerText()).toContain("too few good questions left (9)");
    await page.context().close();
  });
});

describe("scale", () => {
  test("one scale for all rows; raw draws flat credit at its own size", async () => {
    const page = await open();
    const width = (place: string) => page.locator(`.turn-cell:has([data-cell="${place}"]) .strip:not(.is-truth) rect`).getAttribute("width").then((text) => Number.parseFloat(text ?? ""));
    const equal = await width("3:1");
    expect(await width("0:0")).toBe(equal);
    const lock = page.locator(".scale");
    expect(await lock.innerText()).toMatch(/Scale ±0\.\d\d, Flat ×0\.\d\d/);
    await lock.click();
    expect(await lock.getAttribute("aria-pressed")).toBe("true");
    expect(await lock.innerText()).toMatch(/Scale ±\d\.\d\d, raw/);
    expect(await width("3:1")).toBeGreaterThan(1.5 * equal);
    await page.context().close();
  });
});

test("the dial blends at once, then trains with the blend from before the group", async () => {
  const page = await open();
  await runTo(page, 5);
  await page.locator('[data-cell="1:0"]').click();
  await page.getByLabel("Share of truth").fill("1");
  expect(await scheme(page)).toBe("dial");
  const numbers = await page.locator('.turn-cell:has([data-cell="1:0"]) .strip-num b').allInnerTexts();
  expect(numbers[1]).toBe(numbers[0]);
  await page.getByLabel("Share of truth").fill("0.5");
  const train = button(page, /^Train with it from/);
  expect(await train.innerText()).toMatch(/from update \d+$/);
  await train.click();
  await page.waitForFunction(() => document.querySelectorAll(".grid tbody tr").length > 0);
  await page.keyboard.press("s");
  await expect.poll(() => page.getByRole("textbox", { name: "Link" }).inputValue()).toMatch(/algorithm\.credit=dial.*|credit\.share=0\.5/);
  await page.context().close();
});

test("a fork keeps the recorded future and the others as siblings; one can be discarded", async () => {
  const page = await open();
  await forked(page);
  const rows = page.locator(".tree tbody tr");
  expect(await rows.count()).toBe(3);
  expect(await rows.nth(0).innerText()).toMatch(/Recorded/);
  expect(await rows.nth(1).locator(".is-changed").count()).toBe(1);
  await button(page, "Another answer").click();
  await page.getByRole("radio", { name: /busy/ }).check();
  await button(page, "Run once").click();
  await expect.poll(() => rows.count()).toBe(4);
  await button(page, "Discard future 1").click();
  await expect.poll(() => rows.count()).toBe(3);
  await page.context().close();
});

test("rewind replaces the end of the trajectory, without credit that nobody computed; restore brings it back", async () => {
  const page = await open();
  await page.keyboard.press("f");
  await page.getByRole("radio").first().waitFor();
  await focusView(page);
  const chips = page.locator(".matrix thead .chip");
  const before = await chips.count();
  await button(page, "Rewind").click();
  await button(page, "Restore").waitFor();
  expect(await chips.count()).toBeLessThan(before);
  expect(await page.locator('.matrix [data-place="2:1"]').getAttribute("aria-label")).toMatch(/not known yet/);
  await button(page, "Restore").click();
  expect(await chips.count()).toBe(before);
  await page.context().close();
});

test("a phone walks the trajectories by touch; every target is large enough", async () => {
  const page = await open(PHONE);
  const title = () => page.locator(".stepper h2").innerText();
  expect(await title()).toBe("Trajectory D, 4 of 4");
  await page.getByRole("button", { name: "Previous trajectory, C" }).tap();
  expect(await title()).toBe("Trajectory C, 3 of 4");
  const session = await page.context().newCDPSession(page);
  const swipe = async (fromX: number, toX: number) => {
    const at = (x: number) => ({ x, y: 400 });
    await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at(fromX)] });
    await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [at(toX)] });
    await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  };
  await swipe(100, 300);
  await expect.poll(title).toBe("Trajectory B, 2 of 4");
  await swipe(300, 100);
  await expect.poll(title).toBe("Trajectory C, 3 of 4");
  const small = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>(".board button, .board select, .board input")].flatMap((element) => {
      const { width, height } = element.getBoundingClientRect();
      return width > 0 && (width < 24 || height < 24) ? [`${element.className} ${width}×${height}`] : [];
    }));
  expect(small).toEqual([]);
  await page.context().close();
});

describe.each(["achromatopsia", "deuteranopia", "protanopia", "tritanopia"] as const)("%s", (type) => {
  test("the two signs are told apart by their shapes and fills as they are drawn", async () => {
    const page = await open();
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setEmulatedVisionDeficiency", { type });
    const pixels = async (selector: string): Promise<string> => (await page.locator(selector).first().screenshot()).toString("base64");
    const [up, down] = await Promise.all([pixels(".board-foot .key:has(.g.pos) svg.g"), pixels(".board-foot .key:has(.g.neg) svg.g")]);
    const [solid, hatched] = await Promise.all([pixels(".board-foot .key:has(.g.pos) .key-bar"), pixels(".board-foot .key:has(.g.neg) .key-bar")]);
    expect(up).not.toBe(down);
    expect(solid).not.toBe(hatched);
    await page.context().close();
  });
});
