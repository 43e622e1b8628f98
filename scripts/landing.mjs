// @ts-check
/**
 * Puts the recorded group into the page: as data, and in a build as the markup that the page shows before any script ran, with a small
 * script that keeps what is clicked in it.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { createRunnableDevEnvironment, minify, resolveConfig, transformWithOxc } from "vite";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const EARLY = resolve(root, "src/ui/early-clicks.ts");
const RECORDING = resolve(root, "public/recordings/refund-desk.json");

/** Loads TypeScript and JSX without a server, as the command line does. */
async function moduleRunner() {
  const config = await resolveConfig(
    {
      root, configFile: false, envDir: false, publicDir: false, logLevel: "error", plugins: [react()],
      server: { watch: null, ws: false, hmr: false }, optimizeDeps: { noDiscovery: true, include: [] },
    },
    "serve",
  );
  const environment = createRunnableDevEnvironment("ssr", config, { hot: false, runnerOptions: { hmr: false } });
  await environment.init();
  return environment;
}

/** @param {unknown} recording @returns {Promise<string>} */
async function markupOf(recording) {
  const environment = await moduleRunner();
  try {
    const { prerender } = await environment.runner.import("/src/ui/prerender.tsx");
    return await prerender(recording);
  } finally {
    await environment.close();
  }
}

/** @returns {import("vite").Plugin} */
export function landing() {
  let isBuild = false;
  return {
    name: "turnwise:landing",
    configResolved: ({ command }) => {
      isBuild = command === "build";
    },
    transformIndexHtml: async (html) => {
      if (!existsSync(RECORDING)) return html;
      const recording = JSON.parse(readFileSync(RECORDING, "utf8"));
      const data = `<script type="application/json" id="recording">${JSON.stringify(recording).replaceAll("<", "\\u003c")}</script>`;
      const markup = isBuild ? await markupOf(recording) : "";
      const whole = html.replace('<div id="root"></div>', () => `<div id="root">${markup}</div>\n    ${data}`);
      return isBuild ? { html: whole, tags: [{ tag: "script", attrs: { src: "./early-clicks.js", async: true }, injectTo: "head-prepend" }] } : whole;
    },
    async generateBundle() {
      const { code } = await transformWithOxc(readFileSync(EARLY, "utf8"), EARLY);
      const { code: small } = await minify(EARLY, code.replace(/export\s*\{\s*\};?/, ""));
      this.emitFile({ type: "asset", fileName: "early-clicks.js", source: small });
    },
  };
}
