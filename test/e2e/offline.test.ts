import { createServer, type Server } from "node:http";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { expect, test } from "vitest";
import { ownBrowser } from "./page.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".json": "application/json", ".webmanifest": "application/manifest+json",
};

/** The built app on a host of its own, which can be changed and closed. */
async function host(): Promise<{ readonly folder: string; readonly url: string; readonly server: Server }> {
  const folder = await mkdtemp(join(tmpdir(), "turnwise-offline-"));
  await cp("dist", folder, { recursive: true });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://host");
    const path = pathname === "/" ? "/index.html" : pathname;
    readFile(join(folder, path)).then(
      (body) => response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream", "cache-control": "no-store" }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the host has no port");
  return { folder, url: `http://127.0.0.1:${address.port}/`, server };
}

const browser = ownBrowser();

test("after the first visit the page trains without a network, and a newer version is offered, not forced", async () => {
  const { folder, url, server } = await host();
  const context = await browser().newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(url);
  await page.locator(".backend", { hasText: "WASM" }).waitFor({ timeout: 60_000 });
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });

  // A new page on the host: the old one is shown, and says so.
  const html = await readFile(join(folder, "index.html"), "utf8");
  const worker = await readFile(join(folder, "sw.js"), "utf8");
  await writeFile(join(folder, "index.html"), html.replace('<html lang="en"', '<html data-newer lang="en"'));
  const revised = worker.replace(/(url:"index\.html",revision:")[0-9a-f]+/, "$1ffffffffffffffffffffffffffffffff");
  expect(revised).not.toBe(worker);
  await writeFile(join(folder, "sw.js"), revised);
  await page.reload();
  await page.evaluate(async () => {
    await (await navigator.serviceWorker.ready).update();
  });
  await page.getByText("A new version is ready").waitFor({ timeout: 30_000 });
  expect(await page.locator("html[data-newer]").count()).toBe(0);
  await page.getByRole("button", { name: "Change to it" }).click();
  await page.locator("html[data-newer]").waitFor({ state: "attached", timeout: 30_000 });

  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await page.reload();
  await page.locator(".backend", { hasText: "WASM" }).waitFor({ timeout: 60_000 });
  await page.keyboard.press("Space");
  await page.locator("#board-title", { hasText: "update 1" }).waitFor({ timeout: 60_000 });
  // Presets that were never looked at, too.
  for (const preset of ["sokoban", "js-sandbox"]) {
    await page.goto(`${url}#/play?v=1&p=${preset}&s=1`);
    await page.reload();
    await page.locator(".backend", { hasText: "WASM" }).waitFor({ timeout: 60_000 });
    await page.keyboard.press("Space");
    await page.locator("#board-title", { hasText: "update 1" }).waitFor({ timeout: 60_000 });
  }
  expect(faults).toEqual([]);
  await context.close();
  await rm(folder, { recursive: true });
});
