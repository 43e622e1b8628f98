import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { DeviceLostError, KernelError } from "#core/errors.ts";
import type { DeviceBuffer } from "#engine/executor.ts";
import type { KernelDefinition } from "#engine/kernel.ts";
import { gatherRows } from "#engine/kernels/gather-rows/index.ts";
import { transpose } from "#engine/kernels/transpose/index.ts";
import { WebGpuExecutor } from "#engine/webgpu/webgpu-executor.ts";
import { findDevice, openDevice } from "./device.ts";

/** y[i] = factor·x[i] + y[i]: order and params show in the result. */
const accumulate: KernelDefinition = {
  name: "accumulate",
  bindings: [
    { name: "x", kind: "f32", access: "read" },
    { name: "y", kind: "f32", access: "write" },
  ],
  sizes: ["count"],
  params: [{ name: "factor", kind: "f32" }],
  threads: ({ count = 0 }) => count,
  workgroupSize: 64,
  wgsl: `
override count: u32;
struct Params {
  factor: f32,
}
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> params: Params;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = linear_index(id, groups);
  if (index >= count) {
    return;
  }
  y[index] += params.factor * x[index];
}`,
  reference: () => undefined,
  tolerance: 0,
  cases: () => [],
};
const broken: KernelDefinition = { ...accumulate, name: "broken", wgsl: accumulate.wgsl.replace("count)", "coutn)") };

const shared = await findDevice();

describe.skipIf(shared === undefined)("WebGpuExecutor", () => {
  const device = shared as GPUDevice;
  let executor: WebGpuExecutor;
  /** Errors nobody asked for: there must be none. */
  const uncaptured: string[] = [];
  device?.addEventListener("uncapturederror", (event) => uncaptured.push((event as GPUUncapturedErrorEvent).error.message));

  beforeEach(() => {
    executor = new WebGpuExecutor(device);
  });
  const expectNothingLeft = (): void => {
    executor.dispose();
    expect([executor.liveBuffers, executor.liveBytes]).toEqual([0, 0]);
    expect(uncaptured).toEqual([]);
  };
  afterEach(expectNothingLeft);
  afterAll(() => device?.destroy());

  const filled = (value: number, length = 4): DeviceBuffer => {
    const buffer = executor.alloc("x", "f32", length);
    executor.upload(buffer, new Float32Array(length).fill(value));
    return buffer;
  };
  const add = (x: DeviceBuffer, y: DeviceBuffer, factor: number): void => executor.run(accumulate, [x, y], { count: x.length, factor });

  describe("does things in the order they were asked for", () => {
    it("new buffers are zero, uploads land at their offset, reads take a part", async () => {
      const buffer = executor.alloc("u", "u32", 5);
      executor.upload(buffer, Uint32Array.of(7, 0xffffffff), 2);
      expect(await executor.read(buffer)).toEqual(Uint32Array.of(0, 0, 7, 0xffffffff, 0));
      expect(await executor.read(buffer, 3, 1)).toEqual(Uint32Array.of(0xffffffff));
      expect(executor.view(buffer)).toBeUndefined();
    });

    it("an upload comes after the runs before it and before the runs after it", async () => {
      const [x, y] = [filled(1), filled(0)];
      add(x, y, 1);
      executor.upload(x, Float32Array.of(10, 10, 10, 10));
      add(x, y, 1);
      executor.upload(y, Float32Array.of(5), 1);
      add(x, y, 2);
      expect(await executor.read(y)).toEqual(Float32Array.of(31, 25, 31, 31));
    });

    it("a clear comes between the runs around it", async () => {
      const [x, y] = [filled(1), filled(3)];
      add(x, y, 4);
      executor.clear(y);
      add(x, y, 2);
      executor.clear(x);
      add(x, y, 100);
      expect(await executor.read(y)).toEqual(Float32Array.of(2, 2, 2, 2));
    });

    it("a read sees what came before it, several in flight at once", async () => {
      const [x, y] = [filled(1), filled(0)];
      const reads = [1, 2, 3].map((factor) => {
        add(x, y, factor);
        return executor.read(y, 0, 1);
      });
      add(x, y, 100);
      expect(await Promise.all(reads)).toEqual([Float32Array.of(1), Float32Array.of(3), Float32Array.of(6)]);
    });

    it("a buffer is freed after the work that uses it", async () => {
      const [x, y] = [filled(2), filled(1)];
      add(x, y, 3);
      executor.free(x);
      expect(await executor.read(y)).toEqual(Float32Array.of(7, 7, 7, 7));
    });
  });

  it("keeps the params of many runs of one submit apart, and of many submits", async () => {
    for (const maxQueuedDispatches of [1, 3, 512]) {
      const small = new WebGpuExecutor(device, { maxQueuedDispatches });
      const [x, y] = [small.alloc("x", "f32", 64), small.alloc("y", "f32", 64 * 8)];
      small.upload(x, new Float32Array(64).fill(1));
      for (let step = 0; step < 40; step += 1)
        small.run(accumulate, [x, { buffer: y, offset: 64 * (step % 8), length: 64 }], { count: 64, factor: 10 ** -(step % 8) * (step % 5) });
      const got = await small.read(y);
      for (let slot = 0; slot < 8; slot += 1) {
        const expected = [0, 1, 2, 3, 4].reduce((sum, turn) => sum + 10 ** -slot * ((slot + 8 * turn) % 5), 0);
        expect(got[64 * slot + 63]).toBeCloseTo(expected, 5);
      }
      small.dispose();
    }
  });

  it("folds grids of more than 65,535 workgroups, every index once", async () => {
    const count = 65_535 * 64 + 129;
    const [x, y] = [filled(1, count), executor.alloc("y", "f32", count)];
    add(x, y, 1);
    const got = await executor.read(y);
    expect(got.every((value) => value === 1)).toBe(true);
  });

  it("a run of no rows does nothing", async () => {
    const [x, index, y] = [filled(1), executor.alloc("i", "u32", 4), filled(2)];
    executor.run(gatherRows, [x, index, y], { width: 1, rows: 0 });
    expect(await executor.read(y)).toEqual(Float32Array.of(2, 2, 2, 2));
  });

  it("reads one buffer through two bindings", async () => {
    const twice: KernelDefinition = {
      ...transpose, name: "twice", bindings: [...transpose.bindings.slice(0, 1), { name: "c", kind: "f32", access: "read" }, ...transpose.bindings.slice(1)],
      wgsl: transpose.wgsl.replace("@binding(1) var<storage, read_write>", "@binding(1) var<storage, read> c: array<f32>;\n@group(0) @binding(2) var<storage, read_write>").replace("= a[", "= c[0] + a["),
    };
    const [a, b] = [filled(3), filled(0)];
    executor.run(twice, [a, a, b], { rows: 2, columns: 2 });
    expect(await executor.read(b)).toEqual(Float32Array.of(6, 6, 6, 6));
  });

  it("says what does not fit", () => {
    const [x, y] = [filled(1, 128), filled(0, 128)];
    const values = { count: 4, factor: 1 };
    const refused = (action: () => void, words: string): void => {
      expect(action).toThrow(KernelError);
      expect(action).toThrow(words);
    };
    refused(() => executor.run(accumulate, [x], values), "got 1 buffers, needs 2");
    refused(() => executor.run(accumulate, [x, y], { count: 4 }), "value factor is undefined");
    refused(() => executor.run(accumulate, [x, y], { count: 4.5, factor: 1 }), "count is 4.5, needs an integer");
    refused(() => executor.run(accumulate, [x, y], { count: -4, factor: 1 }), "count is -4");
    refused(() => executor.run(accumulate, [x, y], { count: 4, factor: Infinity }), "factor is Infinity");
    refused(() => executor.run(accumulate, [{ buffer: x, offset: 4, length: 4 }, y], values), "offsets are multiples of 64");
    refused(() => executor.run(accumulate, [{ buffer: x, offset: 64, length: 65 }, y], values), "64+65");
    refused(() => executor.run(accumulate, [executor.alloc("u", "u32", 4), y], values), "got u32 buffer");
    refused(() => executor.run(accumulate, [y, y], values), "read and write x in one dispatch");
    refused(() => executor.upload(x, Float32Array.of(1, 2), 127), "elements 127 to 129");
    refused(() => executor.upload(x, Uint32Array.of(1)), "holds f32, got Uint32Array");
    refused(() => executor.alloc("none", "f32", 0), "length is 0");
    refused(() => executor.alloc("huge", "f32", 2 ** 27), "more than a buffer may have");
    const other = new WebGpuExecutor(device);
    refused(() => other.free(x), "another executor");
    other.dispose();
    executor.free(x);
    refused(() => executor.free(x), "freed before");
    refused(() => executor.run(accumulate, [x, y], values), "freed before");
  });

  it("a range too large for one binding is refused, the buffer itself is not", () => {
    const large = executor.alloc("large", "f32", 2 ** 25 + 64);
    expect(() => add(large, filled(0), 1)).toThrow("allowed are 134217728 here");
  });

  it("prepare compiles ahead of run, and tells what does not compile with file and line", async () => {
    await executor.prepare(accumulate, { count: 4 });
    await executor.prepare(accumulate, { count: 4 });
    const [x, y] = [filled(2), filled(0)];
    add(x, y, 2);
    expect(await executor.read(y)).toEqual(Float32Array.of(4, 4, 4, 4));
    const line = broken.wgsl.split("\n").findIndex((text) => text.includes("coutn")) + 1;
    const failure = await executor.prepare(broken, { count: 4 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(KernelError);
    expect(String(failure)).toContain(`broken/kernel.wgsl:${line}:`);
    expect(String(failure)).toContain("coutn");
    // Nothing was run, so the executor goes on.
    expect(await executor.read(y)).toEqual(Float32Array.of(4, 4, 4, 4));
  });

  it("a shader that does not compile fails the read after its run, and every call from then on", async () => {
    const [x, y] = [filled(2), filled(0)];
    executor.run(broken, [x, y], { count: 4, factor: 1 });
    await expect(executor.read(y)).rejects.toThrow("coutn");
    expect(() => add(x, y, 1)).toThrow(KernelError);
    executor.free(x);
  });

  it("counts what is allocated and gives it back on free and dispose", async () => {
    const buffers = [1, 3, 64, 1000].map((length) => executor.alloc(`b${length}`, "f32", length));
    expect(executor.liveBuffers).toBe(4);
    expect(executor.liveBytes).toBeGreaterThanOrEqual(4 * 1068);
    add(buffers[0] as DeviceBuffer, buffers[1] as DeviceBuffer, 1);
    for (const buffer of buffers.slice(1)) executor.free(buffer);
    expect(executor.liveBuffers).toBe(1);
    executor.dispose();
    executor.dispose();
    expect([executor.liveBuffers, executor.liveBytes]).toEqual([0, 0]);
    await expect(executor.read(buffers[0] as DeviceBuffer)).rejects.toThrow(KernelError);
    expect(() => executor.alloc("late", "f32", 1)).toThrow("was disposed");
  });

  it("a read under way when the executor is disposed of rejects", async () => {
    const pending = executor.read(filled(1, 1 << 20));
    executor.dispose();
    await expect(pending).rejects.toThrow(KernelError);
  });
});

describe.skipIf(shared === undefined)("a lost device", () => {
  it("rejects what is pending, throws from then on, is told once, and leaves nothing behind", async () => {
    const device = await openDevice();
    const told: DeviceLostError[] = [];
    const executor = new WebGpuExecutor(device, { onLost: (error) => told.push(error) });
    const [x, y] = [executor.alloc("x", "f32", 1 << 20), executor.alloc("y", "f32", 1 << 20)];
    executor.run(accumulate, [x, y], { count: x.length, factor: 1 });
    const pending = [executor.read(y), executor.read(x)];
    const judged = Promise.all(pending.map((read) => expect(read).rejects.toThrow(DeviceLostError)));
    device.destroy();
    await judged;
    await device.lost;
    expect(told).toHaveLength(1);
    expect(told[0]?.detail).toEqual({ reason: "destroyed" });
    expect(() => executor.run(accumulate, [x, y], { count: 4, factor: 1 })).toThrow(DeviceLostError);
    expect(() => executor.upload(x, Float32Array.of(1))).toThrow(DeviceLostError);
    expect(() => executor.clear(x)).toThrow(DeviceLostError);
    expect(() => executor.alloc("z", "f32", 1)).toThrow(DeviceLostError);
    await expect(executor.read(x)).rejects.toThrow(DeviceLostError);
    await expect(executor.prepare(accumulate, { count: 8 })).rejects.toThrow(DeviceLostError);
    executor.free(x);
    executor.dispose();
    expect([executor.liveBuffers, executor.liveBytes]).toEqual([0, 0]);
  });

  it("is not reported by an executor that was disposed of before", async () => {
    const device = await openDevice();
    const told: DeviceLostError[] = [];
    const executor = new WebGpuExecutor(device, { onLost: (error) => told.push(error) });
    executor.dispose();
    device.destroy();
    await device.lost;
    await Promise.resolve();
    expect(told).toEqual([]);
  });
});
