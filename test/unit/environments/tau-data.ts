import { existsSync } from "node:fs";
import { resolve } from "node:path";

const FOLDER = resolve(process.env["TURNWISE_DATA"] ?? "../shared/data", "tau");

/** A published file, read where it lies; null where it is absent, which is said loudly and is a fault when CI=true. */
export function publishedFile(name: string): string | null {
  const path = resolve(FOLDER, name);
  if (existsSync(path)) return path;
  if (process.env["CI"] === "true") throw new Error(`${path} is absent; set TURNWISE_DATA to the folder of published cases`);
  console.warn(`SKIPPED: ${path} is absent; set TURNWISE_DATA to the folder of published cases`);
  return null;
}
