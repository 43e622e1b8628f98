import { KernelError } from "#core/errors.ts";
import { checkedRanges } from "../bindings.ts";
import type { DeviceBuffer, Executor } from "../executor.ts";
import type { View } from "../kernel.ts";
import { MEMORY_LIMIT, WasmMemory } from "./memory.ts";

export type WasmFlavour = "simd128" | "relaxed";

const exportName = (kernel: string): string => kernel.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Runs the AssemblyScript kernels of one flavour on this thread. Calls return when the work is done; `view` is the memory itself.
 * @param module the compiled `<flavour>.wasm`
 */
export async function createWasmExecutor(module: WebAssembly.Module, flavour: WasmFlavour): Promise<Executor> {
  const heap = new WasmMemory();
  const instance = await WebAssembly.instantiate(module, {
    env: {
      memory: heap.memory,
      abort: () => {
        throw new KernelError("a kernel aborted");
      },
    },
  });
  const pointers = new Map<DeviceBuffer, number>();
  const kernels = new Map<string, (...numbers: number[]) => void>();
  const pointerOf = (buffer: DeviceBuffer): number => {
    const pointer = pointers.get(buffer);
    if (pointer === undefined) throw new KernelError(`buffer ${buffer.label} was freed or belongs to another executor`);
    return pointer;
  };
  const viewOf = (buffer: DeviceBuffer): View => {
    const pointer = pointerOf(buffer);
    return buffer.kind === "f32" ? new Float32Array(heap.memory.buffer, pointer, buffer.length) : new Uint32Array(heap.memory.buffer, pointer, buffer.length);
  };
  const kernelOf = (name: string): ((...numbers: number[]) => void) => {
    const known = kernels.get(name);
    if (known) return known;
    const found = instance.exports[exportName(name)];
    if (typeof found !== "function") throw new KernelError(`the ${flavour} module has no kernel ${name}`);
    const kernel = (...numbers: number[]): void => {
      found(...numbers);
    };
    kernels.set(name, kernel);
    return kernel;
  };
  return {
    arithmetic: flavour,
    rowsAtOnce: () => 512,
    memoryLimit: MEMORY_LIMIT,
    queueDepth: 0,
    get liveBuffers() {
      return pointers.size;
    },
    get liveBytes() {
      return [...pointers.keys()].reduce((sum, buffer) => sum + buffer.length * 4, 0);
    },
    alloc(label, kind, length) {
      const buffer: DeviceBuffer = { label, kind, length };
      pointers.set(buffer, heap.alloc(length * 4));
      return buffer;
    },
    free(buffer) {
      heap.free(pointerOf(buffer), buffer.length * 4);
      pointers.delete(buffer);
    },
    upload(buffer, values, offset = 0) {
      viewOf(buffer).set(values, offset);
    },
    clear(buffer) {
      viewOf(buffer).fill(0);
    },
    run(kernel, bindings, values) {
      const ranges = checkedRanges(kernel, bindings, values);
      kernelOf(kernel.name)(
        ...ranges.map(({ buffer, offset }) => pointerOf(buffer) + offset * 4),
        ...kernel.sizes.map((name) => values[name] ?? 0),
        ...kernel.params.map(({ name }) => values[name] ?? 0),
      );
    },
    view: viewOf,
    read(buffer, offset = 0, length = buffer.length - offset) {
      return Promise.resolve(viewOf(buffer).slice(offset, offset + length));
    },
    dispose() {
      pointers.clear();
    },
  };
}
