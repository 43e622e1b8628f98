import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { SHOP_FILES, SHOP_TASKS } from "../fixtures/tau-shop.ts";
import { axeFindings, expectNothingClipped, openApp, ownBrowser } from "./page.ts";

/** Real cases in the built app, over a shop of our own in the published shape. */

const browser = ownBrowser();

const file = (name: string, text: string) => ({ name, mimeType: "application/json", buffer: Buffer.from(text) });
const FILES = [...Object.entries(SHOP_FILES).map(([name, text]) => file(`${name}.json`, text)), file("tasks.json", JSON.stringify(SHOP_TASKS))];

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const choose = (page: Page, files: typeof FILES) => page.getByLabel("Database and task files").setInputFiles(files);

async function expectSound(page: Page): Promise<void> {
  expect(await axeFindings(page)).toEqual([]);
  await expectNothingClipped(page);
}

describe.each([
  ["a desktop", { viewport: { width: 1440, height: 900 } }],
  ["a phone", { viewport: { width: 390, height: 844 } }],
] as const)("on %s", (_what, options) => {
  test("a task is replayed step by step with what it did to the database", async () => {
    const { page, faults } = await openApp(browser(), "", options);
    await page.getByRole("link", { name: "Cases" }).click();
    await page.getByRole("heading", { name: "Real cases" }).waitFor();
    await expectSound(page);

    await choose(page, [file("notes.json", "not json"), ...FILES.slice(0, 2)]);
    await page.getByText("notes.json is not JSON").waitFor();
    expect(await page.getByText("missing").count()).toBe(2);
    await choose(page, FILES.slice(2));
    await page.getByRole("heading", { name: "Task 0 ann_lee_1" }).waitFor();
    expect(await page.getByText("notes.json").count()).toBe(0);

    await button(page, "Next action").click();
    await page.getByText("The database is unchanged.").waitFor();
    await button(page, "Next action").click();
    const order = page.getByRole("region", { name: "Changes of Order #W1" });
    expect(await order.getByRole("row", { name: "status" }).innerText()).toMatch(/pending\s+now\s+pending \(item modified\)$/);
    expect(await page.getByRole("region", { name: "Changes of Customer ann_lee_1" }).innerText()).toContain("34.7");
    expect(await button(page, "Next action").isDisabled()).toBe(true);
    await expectSound(page);
    expect(faults).toEqual([]);
  });

  test("a person acts as the agent; the verdict is the end state and what was said, the policy stands apart", async () => {
    const { page, faults } = await openApp(browser(), "#/data", options);
    await choose(page, FILES);
    await button(page, "Act as the agent").click();
    await button(page, "Verdict").click();
    const verdict = page.getByRole("region", { name: "Verdict" });
    await verdict.getByText("Not passed").waitFor();

    await page.getByLabel("Tool", { exact: true }).selectOption("modify_pending_order_items");
    await page.getByLabel("order_id").fill("#W1");
    await page.getByLabel("item_ids", { exact: true }).fill("101");
    await page.getByLabel("new_item_ids").fill("102");
    await page.getByLabel("payment_method_id").fill("gift_card_1");
    await button(page, "Call the tool").click();
    await verdict.getByText("The database is as the reference leaves it").waitFor();
    expect(await verdict.innerText()).toContain("“5.3” was not said");
    await page.getByLabel("Message").fill("Done, it costs $5.30 more.");
    await button(page, "Say to the customer").click();
    await verdict.getByText("Passed, if the episode ended here").waitFor();
    expect(await verdict.getByText("broken at 1").count(), "neither found nor asked").toBe(2);
    await expectSound(page);

    // What was done stays when one looks elsewhere.
    await page.getByRole("link", { name: "About" }).click();
    await page.getByRole("heading", { name: "Help and method" }).waitFor();
    await page.getByRole("link", { name: "Cases" }).first().click();
    await page.getByText("2 moves").waitFor();

    await button(page, /^1 bob_ray_2/).click();
    await page.getByText("Doing nothing passes this task").waitFor();
    expect(faults).toEqual([]);
  });
});

test("files dropped anywhere on the page are opened", async () => {
  const { page } = await openApp(browser(), "#/data");
  await page.getByRole("heading", { name: "Real cases" }).waitFor();
  await page.evaluate((files) => {
    const transfer = new DataTransfer();
    for (const { name, text } of files) transfer.items.add(new File([text], name));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, FILES.map(({ name, buffer }) => ({ name, text: buffer.toString() })));
  await page.getByRole("heading", { name: "Task 0 ann_lee_1" }).waitFor();
  expect(await page.getByText("missing").count()).toBe(0);
});
