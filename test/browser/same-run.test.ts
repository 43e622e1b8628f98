import { expect, test } from "vitest";
import simd128Url from "#engine/wasm/simd128.wasm?url";
import { createWasmExecutor } from "#engine/wasm/wasm-executor.ts";
import recorded from "../fixtures/small-run.json" with { type: "json" };
import { digest, eventsOn, SMALL_RUN } from "../unit/trainer/runs.ts";

// The same hashes are held in Node by test/unit/trainer/train.test.ts.
test("a run in the browser has the same events as in Node, in simd128", async () => {
  const module = await WebAssembly.compileStreaming(fetch(simd128Url));
  expect(digest(await eventsOn(await createWasmExecutor(module, "simd128"), SMALL_RUN))).toEqual(recorded.events);
});
