// @ts-check
/**
 * Finds the browser that the tests drive; run as a script ("pretest") it installs one where none is found.
 * Order: CHROME_PATH, a system Chrome, Chromium or Edge, one that Playwright downloaded before, then an install.
 */
import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const OLDEST_NODE = [20, 19];

/** @returns {string[]} */
function systemPaths() {
  const env = process.env;
  if (process.platform === "darwin") {
    return [
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
      "/Applications/Chromium.app/Contents/MacOS/Chromium",
      "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ];
  }
  if (process.platform === "win32") {
    return [env["PROGRAMFILES"], env["PROGRAMFILES(X86)"], env["LOCALAPPDATA"]]
      .filter((root) => root !== undefined)
      .flatMap((root) => [
        join(root, "Google/Chrome/Application/chrome.exe"),
        join(root, "Chromium/Application/chrome.exe"),
        join(root, "Microsoft/Edge/Application/msedge.exe"),
      ]);
  }
  return [
    "/usr/bin/chromium",
    "/usr/bin/google-chrome-stable",
    "/usr/bin/google-chrome",
    "/opt/google/chrome/chrome",
    "/usr/bin/chromium-browser",
    "/usr/bin/microsoft-edge-stable",
    "/usr/bin/microsoft-edge",
  ];
}

/** @returns {Promise<string[]>} where Playwright's own download lies, if there is one */
async function playwrightPaths() {
  try {
    const { chromium } = await import("playwright-core");
    return [chromium.executablePath()];
  } catch {
    return [];
  }
}

/**
 * A path is believed once the browser says its version: Ubuntu's `chromium-browser` is a stub that only asks for a snap.
 * Windows browsers open a window instead of answering, so there the file is enough.
 * @param {string} path
 */
async function answers(path) {
  if (!existsSync(path)) return false;
  if (process.platform === "win32") return true;
  try {
    const { stdout } = await run(path, ["--version"], { timeout: 20_000 });
    return /\d+\.\d+\.\d+\.\d+/.test(stdout);
  } catch {
    return false;
  }
}

/** @returns {Promise<string | undefined>} the path of a browser that starts */
export async function findBrowser() {
  const wanted = process.env["CHROME_PATH"];
  if (wanted !== undefined && wanted !== "") {
    if (await answers(wanted)) return wanted;
    throw new Error(`CHROME_PATH is ${wanted}, which does not start; give the path of a Chrome, Chromium or Edge, or unset it`);
  }
  for (const path of systemPaths()) if (await answers(path)) return path;
  for (const path of await playwrightPaths()) if (await answers(path)) return path;
  return undefined;
}

/**
 * The software Vulkan driver (SwiftShader) that lies beside the browser; Node's WebGPU needs it on a Linux machine without a GPU.
 * @param {string | undefined} browser
 * @returns {string | undefined} a path for VK_ICD_FILENAMES
 */
export function vulkanDriver(browser) {
  const given = process.env["VK_ICD_FILENAMES"];
  if (given !== undefined && given !== "") return given;
  if (process.platform !== "linux" || browser === undefined) return undefined;
  const folders = [dirname(browser), "/usr/lib/chromium", "/usr/lib64/chromium-browser", "/opt/google/chrome", "/opt/microsoft/msedge"];
  return folders.map((folder) => join(folder, "vk_swiftshader_icd.json")).find((path) => existsSync(path));
}

/** Arguments the tests start a browser with; TURNWISE_REAL_GPU=1 leaves the machine's own GPU in place of SwiftShader. */
export const launchArguments = [
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  ...(process.env["TURNWISE_REAL_GPU"] === "1" ? [] : ["--use-webgpu-adapter=swiftshader"]),
  "--enable-unsafe-webgpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** @param {string} command @param {string[]} args */
function attempt(command, args) {
  console.log(`$ ${command} ${args.join(" ")}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const result = spawnSync(command, args, { stdio: "inherit", env, shell: process.platform === "win32" });
  return result.status === 0;
}

function install() {
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    const packages = ["chromium", "libvulkan1", "fonts-dejavu-core"];
    attempt("apt-get", ["update"]);
    if (attempt("apt-get", ["install", "-y", "--no-install-recommends", ...packages])) return;
  }
  attempt("npx", ["playwright", "install", "chromium"]);
}

/** @param {string} message */
function stop(message) {
  console.error(message);
  process.exit(1);
}

async function main() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    stop(`Node ${process.versions.node} is too old: Turnwise needs ${OLDEST_NODE.join(".")} or newer (see .nvmrc).`);
  }
  let browser = await findBrowser();
  if (browser === undefined) {
    console.log("No Chrome, Chromium or Edge found; installing one for the tests.");
    install();
    browser = await findBrowser();
  }
  if (browser === undefined) {
    stop("The tests need Chrome, Chromium or Edge. Install one (Debian: apt-get install chromium libvulkan1), or set CHROME_PATH to it.");
  }
  console.log(`browser: ${browser}`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main().catch((/** @type {unknown} */ error) => stop(error instanceof Error ? error.message : String(error)));
}
