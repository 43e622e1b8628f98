import { expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import { readCheckpoint, writeCheckpoint } from "#engine/checkpoint.ts";
import { initialWeights, layoutOf } from "#engine/model.ts";
import { TINY } from "./tiny.ts";

const weights = initialWeights(layoutOf(TINY), createRng(1));
const written = writeCheckpoint({ model: TINY, weights, notes: { preset: "tiny", seed: "1" } });

/** The file with its header replaced. */
function withHeader(change: (header: Record<string, Record<string, unknown>>) => void): Uint8Array {
  const length = Number(new DataView(written.buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(written.subarray(8, 8 + length)));
  change(header);
  const encoded = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + encoded.length + written.length - 8 - length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(encoded.length), true);
  bytes.set(encoded, 8);
  bytes.set(written.subarray(8 + length), 8 + encoded.length);
  return bytes;
}

test("a checkpoint comes back as it went, and is what safetensors asks for", () => {
  expect(readCheckpoint(written)).toEqual({ model: TINY, weights, notes: { preset: "tiny", seed: "1" } });
  const length = Number(new DataView(written.buffer).getBigUint64(0, true));
  expect((8 + length) % 8).toBe(0);
  const header = JSON.parse(new TextDecoder().decode(written.subarray(8, 8 + length)));
  const ranges = Object.entries(header).flatMap(([name, entry]) => (name === "__metadata__" ? [] : [(entry as { data_offsets: [number, number] }).data_offsets]));
  expect(ranges[0]?.[0]).toBe(0);
  for (const [index, [start]] of ranges.entries()) if (index > 0) expect(start).toBe(ranges[index - 1]?.[1]);
  expect(ranges.at(-1)?.[1]).toBe(written.length - 8 - length);
});

test.each([
  ["too short", written.subarray(0, 5), "too few"],
  ["a text in place of tensors", new TextEncoder().encode("# Turnwise\n\nA playground for agentic reinforcement learning"), "it is no safetensors file"],
  ["a header longer than the file", (() => { const bytes = written.slice(0, 64); return bytes; })(), "the file is cut off"],
  ["no JSON", (() => { const bytes = written.slice(); bytes[8] = 0; return bytes; })(), "not JSON"],
  ["cut off", written.subarray(0, written.length - 4), "bytes of data"],
  ["another format", withHeader((header) => { header["__metadata__"] = { format: "pt" }; }), "turnwise-policy/1"],
  ["a width out of range", withHeader((header) => { header["__metadata__"]!["width"] = "100000"; }), "width is 100000"],
  ["a missing tensor", withHeader((header) => { delete header["norm"]; }), "no tensor norm"],
  ["a foreign tensor", withHeader((header) => { header["backdoor"] = { dtype: "F32", shape: [1], data_offsets: [0, 4] }; }), "backdoor"],
  ["half floats", withHeader((header) => { header["norm"]!["dtype"] = "F16"; }), "allowed is F32"],
  ["another shape", withHeader((header) => { header["norm"]!["shape"] = [1, 32]; }), "shape"],
  ["overlapping data", withHeader((header) => { header["norm"]!["data_offsets"] = [0, 128]; }), "does not lie"],
  ["weights that are not finite", (() => { const bytes = written.slice(); bytes.fill(255, bytes.length - 4); return bytes; })(), "not finite"],
])("a file with %s is refused in words", (_name, bytes, message) => {
  expect(() => readCheckpoint(bytes)).toThrow(message);
});
