// Compiles the AssemblyScript kernels (src/engine/kernels/*/kernel.as) into one module per flavour of arithmetic:
// src/engine/wasm/simd128.wasm and relaxed.wasm. Both import their memory, so one allocator serves either.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const engine = join(root, "src/engine");
const names = (await readdir(join(engine, "kernels"), { withFileTypes: true })).filter((entry) => entry.isDirectory()).map((entry) => entry.name).sort();
// The compiler only reads files that end in .ts; ours end in .as so that no TypeScript tool stumbles over them.
const entry = names.map((name) => `export * from "./kernels/${name}/kernel";`).join("\n");

for (const flavour of ["simd128", "relaxed"]) {
  let binary;
  const features = ["--enable", "simd", ...(flavour === "relaxed" ? ["--enable", "relaxed-simd"] : [])];
  const { error } = await asc.main(
    ["module.ts", "--outFile", "module.wasm", "-O3", "--noAssert", "--runtime", "stub", "--disableWarning", "112", "--importMemory", "--zeroFilledMemory", "--initialMemory", "2", "--uncheckedBehavior", "always", ...features],
    {
      readFile: async (name) => {
        if (name === "module.ts") return entry;
        return readFile(join(engine, name.replace(/\.ts$/, ".as")), "utf8").catch(() => null);
      },
      writeFile: (_name, contents) => {
        binary = contents;
      },
      listFiles: () => [],
      stderr: process.stderr,
    },
  );
  if (error || !binary) {
    throw error ?? new Error("the kernel compiler wrote nothing");
  }
  await writeFile(join(engine, "wasm", `${flavour}.wasm`), binary);
}
