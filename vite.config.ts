import react from "@vitejs/plugin-react";
import { playwright } from "@vitest/browser-playwright";
import type { Plugin, Rolldown } from "vite";
import { VitePWA } from "vite-plugin-pwa";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { findBrowser, launchArguments, vulkanDriver } from "./scripts/browser.mjs";
import { landing } from "./scripts/landing.mjs";

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "style-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "object-src 'none'",
].join("; ");

/** Only the built page carries the policy: the development server injects inline scripts and styles. */
const contentSecurityPolicy: Plugin = {
  name: "turnwise:content-security-policy",
  apply: "build",
  transformIndexHtml: () => [
    { tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content: POLICY }, injectTo: "head-prepend" },
  ],
};

/**
 * The page, its scripts, the kernels, the interpreter of the JavaScript sandbox, every preset's policy and the recordings are there without a
 * network after the first visit, 6 MB in all; onnxruntime-web, 14 or 27 MB more, is kept when it was first used.
 */
const offline = VitePWA({
  registerType: "prompt",
  injectRegister: null,
  manifest: {
    name: "Turnwise",
    short_name: "Turnwise",
    description: "A playground for agentic reinforcement learning in the browser: see which turn deserves the credit.",
    display: "standalone",
    start_url: "./",
    theme_color: "#ffffff",
    background_color: "#ffffff",
    icons: [{ src: "icon.svg", sizes: "any", type: "image/svg+xml", purpose: "any" }],
  },
  workbox: {
    globPatterns: ["**/*.{html,js,css,svg,webmanifest}", "assets/{simd128,emscripten-module}-*.wasm", "policies/*.safetensors", "recordings/**/*.json"],
    globIgnores: ["**/ort-*", "**/ort.*"],
    cleanupOutdatedCaches: true,
    runtimeCaching: [
      { urlPattern: ({ url }) => /\/assets\/[^/]*\.(?:wasm|mjs|js)$/.test(url.pathname), handler: "CacheFirst", options: { cacheName: "assets", expiration: { maxEntries: 12 } } },
    ],
  },
});

/**
 * What the entry imports, directly or not, comes in one file: split by who else imports what, it would be two dozen small ones, which are all
 * loaded at first anyway and compress worse.
 */
function initialChunk(): (id: string, context: Rolldown.ChunkingContext) => string | null {
  const known = new Map<string, boolean>();
  const isInitial = (id: string, context: Rolldown.ChunkingContext): boolean => {
    const decided = known.get(id);
    if (decided !== undefined) return decided;
    // Of a circle of imports some other member leads to the entry.
    known.set(id, false);
    const info = context.getModuleInfo(id);
    const is = info !== null && (info.isEntry || info.importers.some((importer) => isInitial(importer, context)));
    known.set(id, is);
    return is;
  };
  return (id, context) => (isInitial(id, context) ? "page" : null);
}

/** With what a page comes to, in milliseconds: a busy machine is slow, and only what never comes is wrong. */
const PATIENCE = { poll: { timeout: 10_000 } };
/** Timed, or at work on both cores: other pages beside them would be in their way. */
const ALONE = ["test/e2e/{environments,offline,page,performance,resilience,webgpu}.test.ts"];

export default defineConfig(async ({ mode }): Promise<ViteUserConfig> => {
  const browser = mode === "test" ? await findBrowser() : undefined;
  const driver = vulkanDriver(browser);
  return {
    base: "./",
    plugins: [react(), landing(), contentSecurityPolicy, offline],
    worker: { format: "es" },
    // Every browser of that target knows modulepreload.
    build: { target: "es2023", modulePreload: { polyfill: false }, sourcemap: false, assetsInlineLimit: 0, rolldownOptions: { output: { codeSplitting: { groups: [{ name: initialChunk() }] } } } },
    // What is first imported inside a worker would otherwise be found late and reload the page.
    optimizeDeps: {
      include: ["@jitl/quickjs-wasmfile-release-sync", "comlink", "fflate", "idb", "quickjs-emscripten-core", "react", "react/jsx-dev-runtime", "react-dom", "react-dom/client", "recharts", "valibot", "zustand", "zustand/shallow", "zustand/vanilla"],
    },
    test: {
      // Groups run one after the other: the machine has few cores and one software GPU.
      projects: [
        {
          extends: true,
          test: {
            name: "unit",
            environment: "node",
            include: ["test/unit/**/*.test.{ts,tsx}"],
            pool: "forks",
            maxWorkers: 2,
            testTimeout: 40_000,
            hookTimeout: 40_000,
            sequence: { groupOrder: 0 },
          },
        },
        {
          extends: true,
          test: {
            name: "gpu",
            environment: "node",
            include: ["test/gpu/**/*.test.ts"],
            // The Vulkan loader reads the real process environment, which only a process of its own gets.
            pool: "forks",
            env: driver === undefined ? {} : { VK_ICD_FILENAMES: driver },
            fileParallelism: false,
            testTimeout: 60_000,
            hookTimeout: 60_000,
            sequence: { groupOrder: 1 },
          },
        },
        {
          extends: true,
          test: {
            name: "browser",
            include: ["test/browser/**/*.test.{ts,tsx}"],
            fileParallelism: false,
            testTimeout: 60_000,
            hookTimeout: 60_000,
            sequence: { groupOrder: 2 },
            browser: {
              enabled: true,
              headless: true,
              screenshotFailures: false,
              provider: playwright({
                launchOptions: { args: launchArguments, ...(browser === undefined ? {} : { executablePath: browser }) },
              }),
              instances: [{ browser: "chromium" }],
            },
          },
        },
        {
          extends: true,
          test: {
            name: "e2e",
            environment: "node",
            include: ["test/e2e/**/*.test.ts"],
            exclude: ALONE,
            globalSetup: ["test/e2e/global-setup.ts", "test/e2e/page-harness/setup.ts"],
            pool: "forks",
            maxWorkers: 2,
            testTimeout: 120_000,
            hookTimeout: 120_000,
            expect: PATIENCE,
            sequence: { groupOrder: 3 },
          },
        },
        {
          extends: true,
          test: {
            name: "alone",
            environment: "node",
            include: ALONE,
            globalSetup: ["test/e2e/global-setup.ts"],
            pool: "forks",
            fileParallelism: false,
            testTimeout: 120_000,
            hookTimeout: 120_000,
            expect: PATIENCE,
            sequence: { groupOrder: 4 },
          },
        },
      ],
    },
  };
});
