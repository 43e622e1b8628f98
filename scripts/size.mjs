// @ts-check
/** Adds up the JavaScript that the built page loads before it shows anything, and fails over the budget. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";

const BUDGET_KB = 120;
const dist = resolve("dist");
const page = join(dist, "index.html");
if (!existsSync(page)) {
  console.error("dist/index.html is missing: run npm run build first");
  process.exit(1);
}

const html = readFileSync(page, "utf8");
const named = [...html.matchAll(/<(?:script|link)\b[^>]*?\b(?:src|href)="([^"]+\.js)"[^>]*>/g)];
const queue = named.map(([, path = ""]) => join(dist, path));
if (queue.length === 0) {
  console.error("dist/index.html names no script: the size check would pass on nothing");
  process.exit(1);
}

/** @type {Map<string, number>} gzip bytes by file; a static import of a loaded file is loaded too, an `import()` is not */
const loaded = new Map();
for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
  if (loaded.has(file)) continue;
  const code = readFileSync(file);
  loaded.set(file, gzipSync(code, { level: 9 }).byteLength);
  for (const [, path = ""] of code.toString().matchAll(/\b(?:import|from)\s*["'](\.{1,2}\/[^"']+\.js)["']/g)) {
    queue.push(join(dirname(file), path));
  }
}

const kilobytes = (/** @type {number} */ bytes) => (bytes / 1000).toFixed(1);
for (const [file, bytes] of loaded) console.log(`${kilobytes(bytes).padStart(7)} kB gzip  ${relative(dist, file)}`);
const total = [...loaded.values()].reduce((sum, bytes) => sum + bytes, 0);
console.log(`${kilobytes(total).padStart(7)} kB gzip  in all, of ${BUDGET_KB} kB`);
if (total > BUDGET_KB * 1000) process.exitCode = 1;
