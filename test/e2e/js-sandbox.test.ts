import { expect, test } from "vitest";
import { openApp, ownBrowser } from "./page.ts";

const browser = ownBrowser();

test("the preset runs in the built page: the engine is loaded with the first run, as WebAssembly, in a worker of its own", async () => {
  const { page, faults } = await openApp(browser());
  const engines: string[] = [];
  page.context().on("response", (response) => {
    if (response.url().includes("emscripten-module") && response.url().endsWith(".wasm")) engines.push(`${response.status()} ${response.headers()["content-type"]}`);
  });
  await page.locator("#root > *").first().waitFor();
  await page.waitForLoadState("networkidle");
  expect(engines).toEqual([]);

  await page.goto(`${page.url().split("#")[0]}#/play?v=1&p=js-sandbox&updates=2&evaluation.tasks=4&evaluation.trials=1`);
  await page.getByRole("button", { name: "Run", exact: false }).first().click();
  await page.getByRole("grid").getByText(/run tests/i).first().waitFor({ timeout: 90_000 });
  expect(engines).toEqual(["200 application/wasm"]);
  expect(page.workers().some((worker) => worker.url().includes("trainer.worker"))).toBe(true);
  expect(faults).toEqual([]);
});
