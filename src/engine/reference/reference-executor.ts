import { KernelError } from "#core/errors.ts";
import { checkedRanges } from "../bindings.ts";
import type { DeviceBuffer, Executor } from "../executor.ts";
import type { View } from "../kernel.ts";

const newView = (kind: DeviceBuffer["kind"], length: number): View => (kind === "f32" ? new Float32Array(length) : new Uint32Array(length));

/** Runs the kernels' plain TypeScript definitions: slow, for tests. Shared memory throughout. */
export function createReferenceExecutor(): Executor {
  const memory = new Map<DeviceBuffer, View>();
  const found = (buffer: DeviceBuffer): View => {
    const view = memory.get(buffer);
    if (!view) throw new KernelError(`buffer ${buffer.label} was freed or belongs to another executor`);
    return view;
  };
  return {
    arithmetic: "reference",
    rowsAtOnce: () => Infinity,
    memoryLimit: Infinity,
    queueDepth: 0,
    get liveBuffers() {
      return memory.size;
    },
    get liveBytes() {
      return [...memory.values()].reduce((sum, view) => sum + view.byteLength, 0);
    },
    alloc(label, kind, length) {
      const buffer: DeviceBuffer = { label, kind, length };
      memory.set(buffer, newView(kind, length));
      return buffer;
    },
    free(buffer) {
      found(buffer);
      memory.delete(buffer);
    },
    upload(buffer, values, offset = 0) {
      found(buffer).set(values, offset);
    },
    clear(buffer) {
      found(buffer).fill(0);
    },
    run(kernel, bindings, values) {
      const views = checkedRanges(kernel, bindings, values).map(({ buffer, offset, length }) => found(buffer).subarray(offset, offset + length));
      kernel.reference(views, values);
    },
    view: (buffer) => found(buffer),
    read(buffer, offset = 0, length = buffer.length - offset) {
      return Promise.resolve(found(buffer).slice(offset, offset + length));
    },
    dispose() {
      memory.clear();
    },
  };
}
