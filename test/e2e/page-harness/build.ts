import react from "@vitejs/plugin-react";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { landing } from "../../../scripts/landing.mjs";
import { build, preview, type InlineConfig, type Plugin, type PreviewServer } from "vite";

const root = resolve("test/e2e/page-harness");
/** Of this process alone: two test runs side by side would empty each other's. */
const outDir = mkdtempSync(join(tmpdir(), "page-harness-"));
process.once("exit", () => rmSync(outDir, { recursive: true, force: true }));

/** Nothing is kept offline here: another page at this address would be shown instead of the one just built. */
const withoutOffline: Plugin = {
  name: "without-offline",
  resolveId: (id) => (id === "virtual:pwa-register" ? id : null),
  load: (id) => (id === "virtual:pwa-register" ? "export const registerSW = () => async () => {};" : null),
};

const config: InlineConfig = {
  configFile: false,
  root,
  mode: "production",
  base: "./",
  logLevel: "warn",
  cacheDir: resolve("node_modules/.cache/page-harness-vite"),
  plugins: [react(), landing(), withoutOffline],
  build: { target: "es2023", assetsInlineLimit: 0, outDir, emptyOutDir: true },
};

/** Builds the page over a made-up trainer and serves it. Never part of the app's build. */
export async function serveHarness(port = 0): Promise<{ readonly url: string; readonly server: PreviewServer }> {
  process.env["NODE_ENV"] = "production";
  await build(config);
  const server = await preview({ ...config, preview: { port, host: "127.0.0.1" } });
  const url = server.resolvedUrls?.local[0];
  if (url === undefined) throw new Error("the preview server gave no address");
  return { url, server };
}
