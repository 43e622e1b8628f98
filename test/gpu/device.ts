import { create, globals } from "webgpu";

Object.assign(globalThis, globals);

/** Must stay referenced: the adapter's native instance goes with it. */
export const gpu = create([]);

/** undefined where this machine has no adapter; in CI that is an error, so that no green run has tested nothing. */
export async function findDevice(): Promise<GPUDevice | undefined> {
  const adapter = await gpu.requestAdapter();
  // The product asks for no limits: kernels must fit the defaults, whatever this adapter has.
  if (adapter !== null) return adapter.requestDevice();
  const message = "no WebGPU adapter in Node (VK_ICD_FILENAMES should name vk_swiftshader_icd.json): GPU tests cannot run";
  if (process.env["CI"] === "true") throw new Error(message);
  console.warn(`SKIPPED: ${message}`);
  return undefined;
}

/** One more device, for tests that lose theirs. */
export async function openDevice(): Promise<GPUDevice> {
  const device = await findDevice();
  if (device === undefined) throw new Error("the adapter is gone");
  return device;
}
