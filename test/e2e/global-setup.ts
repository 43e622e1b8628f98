import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { build, preview } from "vite";
import type { TestProject } from "vitest/node";
import { findBrowser } from "../../scripts/browser.mjs";

export interface ServedApp {
  /** Where the built app is served, with a slash at the end. */
  readonly url: string;
  readonly browserPath: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    app: ServedApp | { readonly fault: string };
  }
}

const SOURCES = ["src", "workers", "public", "index.html", "vite.config.ts", "package-lock.json"];

function newestChange(path: string): number {
  if (!existsSync(path)) return 0;
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newestChange(join(path, name))));
}

/**
 * Builds the app where `dist` is older than its sources, and serves it as a static host would. A build that fails is told to the
 * tests of this project instead of being thrown: thrown here it would end the run of every other project too.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  try {
    const browserPath = await findBrowser();
    if (browserPath === undefined) throw new Error("No browser found: run node scripts/browser.mjs");
    // `mode` and NODE_ENV of a test run would make a development build of React.
    process.env["NODE_ENV"] = "production";
    const built = newestChange(join("dist", "index.html"));
    if (built === 0 || SOURCES.some((path) => newestChange(path) > built)) await build({ mode: "production", logLevel: "silent" });
    const server = await preview({ mode: "production", preview: { port: 0, host: "127.0.0.1" }, logLevel: "warn" });
    const url = server.resolvedUrls?.local[0];
    if (url === undefined) throw new Error("The preview server gave no address");
    project.provide("app", { url, browserPath });
    return () => server.close();
  } catch (error) {
    project.provide("app", { fault: error instanceof Error ? error.message : String(error) });
    return async () => {};
  }
}
