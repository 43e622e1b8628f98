import { expect, test } from "vitest";
import { axeFindings, button, openApp, ownBrowser, PATIENCE } from "./page.ts";

const browser = ownBrowser();

test("the built page starts without an error, under its content security policy, with nothing for axe to find", async () => {
  const { page, faults } = await openApp(browser());
  await page.locator("#root > *").first().waitFor();
  await page.waitForLoadState("networkidle");
  expect(faults).toEqual([]);
  expect(await axeFindings(page)).toEqual([]);

  const inlineScriptRan = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.title = 'policy is off'";
    document.head.append(script);
    return document.title === "policy is off";
  });
  expect(inlineScriptRan).toBe(false);
});

test("a part of the page that cannot be loaded says so in its place and is tried again; the rest stays", async () => {
  const { page } = await openApp(browser());
  const part = "**/gallery-*";
  await page.route(part, (route) => route.abort());
  await page.getByRole("link", { name: "Gallery" }).click();
  await page.getByRole("alert").getByText("This part of the page could not be loaded").waitFor(PATIENCE);
  await page.getByRole("link", { name: "Play" }).click();
  await page.locator("[data-cell]").first().waitFor();
  await page.getByRole("link", { name: "Gallery" }).click();
  await page.getByRole("alert").waitFor();
  await page.unroute(part);
  await button(page, "Try again").click();
  await page.getByRole("heading", { name: "Reward hacking" }).waitFor(PATIENCE);
  // With its style sheet.
  expect(await page.locator(".gallery").evaluate((element) => getComputedStyle(element).display)).toBe("grid");
  await page.context().close();
});
