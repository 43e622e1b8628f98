import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { readCheckpoint } from "#engine/checkpoint.ts";
import { layoutOf } from "#engine/model.ts";
import { exportOnnx } from "#engine/onnx/export.ts";
import { readPolicyModel } from "#engine/onnx/policy-model.ts";

const shipped = async () => readCheckpoint(new Uint8Array(await readFile(new URL("../../../public/policies/refund-desk.safetensors", import.meta.url))));

test("what the exporter writes is read back: shapes, vocabulary and every weight", async () => {
  const { model, weights } = await shipped();
  const found = readPolicyModel(exportOnnx(layoutOf(model), weights), model);
  expect(found).toMatchObject({ columns: layoutOf(model).headColumns, own: { model, weights } });
  console.log(found.rowsAtOnce, found.megaMultiplications, found.parameters);
});
