import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** A fault in one expression of the layer's source. */
export interface Plant {
  /** Below src/algorithms. */
  readonly file: string;
  /** Source text of an expression that occurs once in the file, or as the nth of several. */
  readonly right: string;
  readonly nth?: number;
  readonly wrong: string;
}

/** What the checks call, of the copy with the faults in it. */
export interface Layer {
  readonly batch: typeof import("#algorithms/batch.ts");
  readonly credit: typeof import("#algorithms/credit/implementations.ts") & typeof import("#algorithms/credit/registry.ts");
  readonly golden: typeof import("#algorithms/golden.ts");
  readonly objectives: typeof import("#algorithms/objectives/implementations.ts") & typeof import("#algorithms/objectives/registry.ts");
  readonly rewards: typeof import("#algorithms/rewards/implementations.ts") & typeof import("#algorithms/rewards/registry.ts");
}

const FLAG = "turnwisePlanted";
const flags = globalThis as { [FLAG]?: string };

/** Each fault is switched on by its name, so that the copy is compiled once. */
function write(directory: string, plants: Readonly<Record<string, Plant>>): void {
  writeFileSync(join(directory, "package.json"), JSON.stringify({ type: "module", imports: { "#core/*": "./core/*", "#algorithms/*": "./algorithms/*" } }));
  for (const layer of ["core", "algorithms"]) cpSync(resolve("src", layer), join(directory, layer), { recursive: true });
  for (const [name, { file, right, nth, wrong }] of Object.entries(plants)) {
    const path = join(directory, "algorithms", file);
    const parts = readFileSync(path, "utf8").split(right);
    if (parts.length - 1 < (nth ?? 1) || (nth === undefined && parts.length !== 2)) throw new Error(`plant ${name}: ${JSON.stringify(right)} occurs ${parts.length - 1} times in ${file}`);
    const [before, after] = [parts.slice(0, nth ?? 1).join(right), parts.slice(nth ?? 1).join(right)];
    writeFileSync(path, `${before}(globalThis.${FLAG} === ${JSON.stringify(name)} ? (${wrong}) : (${right}))${after}`);
  }
}

/** A copy of the layer with the faults in it, all of them off. */
export async function plant(plants: Readonly<Record<string, Plant>>): Promise<Layer> {
  mkdirSync(".turnwise", { recursive: true });
  const directory = mkdtempSync(resolve(".turnwise", "planted-"));
  try {
    write(directory, plants);
    const load = async <T>(file: string): Promise<T> => (await import(/* @vite-ignore */ join(directory, "algorithms", file))) as T;
    const both = async <T>(folder: string): Promise<T> => ({ ...(await load<object>(`${folder}/registry.ts`)), ...(await load<object>(`${folder}/implementations.ts`)) }) as T;
    return {
      batch: await load("batch.ts"), credit: await both("credit"), golden: await load("golden.ts"), objectives: await both("objectives"), rewards: await both("rewards"),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Runs something with one of the faults on. */
export function withPlant<T>(name: string, run: () => T): T {
  flags[FLAG] = name;
  try {
    return run();
  } finally {
    delete flags[FLAG];
  }
}
