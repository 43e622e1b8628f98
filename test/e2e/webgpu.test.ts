import { expect, test } from "vitest";
import { openApp, ownBrowser } from "./page.ts";

const browser = ownBrowser();

test("a software adapter stays on WASM and the chip says why; WebGPU can be chosen and trains in the page", async () => {
  const { page, faults } = await openApp(browser());
  const chip = page.locator(".backend");
  await chip.getByText("WASM").waitFor();
  await chip.click();
  await page.getByText("software adapter: WASM is faster").waitFor();
  await page.getByRole("radio", { name: /^WebGPU/ }).check();
  await page.keyboard.press("Escape");
  await page.getByLabel("Start from").selectOption("blank");
  await page.getByLabel("Group size").fill("4");
  await page.getByLabel("Groups", { exact: true }).fill("2");
  await page.getByLabel("Updates", { exact: true }).fill("3");
  await page.locator("#board-title, #landing-title, h1, h2").first().click();
  await chip.getByText("WebGPU").waitFor({ timeout: 30_000 });
  await page.keyboard.press(".");
  await page.locator(".readout", { hasText: "of 3" }).getByText("paused").waitFor({ timeout: 90_000 });
  await page.locator("#board-title", { hasText: "update 1" }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
}, 150_000);
