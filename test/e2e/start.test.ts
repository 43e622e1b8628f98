import { expect, test } from "vitest";
import { axeFindings, openApp, ownBrowser } from "./page.ts";

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
