import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { readCheckpoint } from "#engine/checkpoint.ts";
import { layoutOf } from "#engine/model.ts";
import { exportOnnx } from "#engine/onnx/export.ts";
import { axeFindings, button, expectNothingClipped, openApp, PATIENCE, ownBrowser } from "./page.ts";

/** The built page with onnxruntime-web in its worker: a file that the command line would write acts, is measured, and others are refused. */

const browser = ownBrowser();

const { model, weights } = readCheckpoint(new Uint8Array(readFileSync("public/policies/sokoban.safetensors")));
const file = Buffer.from(exportOnnx(layoutOf(model), weights));

const give = (page: Page, name: string, buffer: Buffer) => page.getByLabel("Policy file").setInputFiles({ name, mimeType: "application/octet-stream", buffer });

async function loaded(page: Page): Promise<void> {
  await page.getByLabel("Acts in").selectOption("sokoban");
  await give(page, "sokoban.onnx", file);
  await page.getByText("sokoban.onnx fits").waitFor(PATIENCE);
}

test("an exported policy acts a whole episode with the native engine's tokens, and its pass^k is the native one", async () => {
  const { page, faults } = await openApp(browser(), "#/player");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await button(page, "Base policy").waitFor(PATIENCE);
  expect(asked.filter((url) => url.includes("ort"))).toEqual([]);
  await loaded(page);
  await button(page, "Begin").click();
  await page.getByText("Task 1 begins with").waitFor();
  await button(page, "Next turn").click();
  await page.locator(".player-turns li").first().waitFor(PATIENCE);
  await button(page, "To the end").click();
  await page.getByText(/^(?:Success|No success) after/).waitFor(PATIENCE);
  const turns = await page.locator(".player-turns li").allInnerTexts();
  expect(turns.length).toBeGreaterThan(1);
  for (const turn of turns) expect(turn).toMatch(/Native engine: the same tokens, ln p within (?:0|\de-[5-9])/);
  await button(page, "Evaluate").click();
  await page.getByText("As many successes in each of the 16 tasks.").waitFor(PATIENCE);
  const rows = page.locator(".player-figures tbody tr");
  expect(await rows.count()).toBe(4);
  for (const cells of await rows.evaluateAll((all) => all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)))) expect(cells[0]).toBe(cells[1]);
  expect(await axeFindings(page)).toEqual([]);
  await expectNothingClipped(page);
  expect(faults).toEqual([]);
});

test("what is no policy, or fits elsewhere, is refused in words, and what was loaded stays out of harm", async () => {
  const { page, faults } = await openApp(browser(), "#/runs", { viewport: { width: 390, height: 844 } });
  // Among the runs a policy of another tool is one that can act.
  await page.getByLabel("Run and policy files").setInputFiles("test/fixtures/python-policy.onnx");
  await button(page, "Let it act").click();
  await page.getByText("python-policy.onnx fits").waitFor(PATIENCE);
  expect(await page.getByLabel("Acts in").inputValue()).toBe("refund-desk");
  await give(page, "notes.onnx", Buffer.from("not a model at all"));
  await page.getByRole("alert").getByText(/no ONNX file/).waitFor(PATIENCE);
  await give(page, "cut.onnx", file.subarray(0, file.length / 2));
  await page.getByRole("alert").getByText(/cut off/).waitFor(PATIENCE);
  await give(page, "sokoban.onnx", file);
  await page.getByRole("alert").getByText("The model has logits for 144 tokens, the environment has 104.").waitFor(PATIENCE);
  expect(await axeFindings(page)).toEqual([]);
  await expectNothingClipped(page);
  await loaded(page);
  await page.getByRole("alert").locator(".notice").waitFor({ state: "detached" });
  await expectNothingClipped(page);
  expect(faults).toEqual([]);
});

test("by the keyboard: the weights of a run act too", async () => {
  const { page, faults } = await openApp(browser(), "#/play?v=1&p=refund-desk&algorithm.groupSize=4&algorithm.groupsPerUpdate=4&updates=6&evaluation.every=6&evaluation.tasks=4&evaluation.trials=2&s=3");
  await page.locator(".backend", { hasText: "WASM" }).waitFor(PATIENCE);
  await page.keyboard.press(".");
  await page.locator(".readout", { hasText: "paused" }).waitFor(PATIENCE);
  await page.evaluate("location.hash = '#/player'");
  await button(page, "Weights of the run, update 1").focus();
  await page.keyboard.press("Enter");
  await page.getByText("Weights after update 1 fits").waitFor(PATIENCE);
  await button(page, "Begin").focus();
  await page.keyboard.press("Enter");
  await page.getByText("Task 1 begins with").waitFor(PATIENCE);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.locator(".player-turns li").first().waitFor(PATIENCE);
  expect(await page.locator(".player-turns li").innerText()).toContain("the same tokens");
  expect(faults).toEqual([]);
});

test("WebGPU runs it where it is asked for", async () => {
  const { page, faults } = await openApp(browser(), "#/player");
  await page.getByRole("radio", { name: "WebGPU", exact: true }).check();
  await loaded(page);
  await page.getByText("(WebGPU)").waitFor(PATIENCE);
  await button(page, "Begin").click();
  await button(page, "Next turn").click();
  await page.locator(".player-turns li").first().waitFor(PATIENCE);
  expect(await page.locator(".player-turns li").innerText()).toContain("Native engine");
  expect(faults).toEqual([]);
});
