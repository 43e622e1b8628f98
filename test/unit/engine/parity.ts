import { exp } from "#core/math.ts";
import { createRng } from "#core/rng.ts";
import { ILLEGAL } from "#core/tokens.ts";
import type { DeviceBuffer, Executor } from "#engine/executor.ts";
import { f32, u32, value, type KernelCase, type KernelDefinition, type View } from "#engine/kernel.ts";
import { ACTION_FIELDS } from "#engine/kernels/sample-token/index.ts";
import { ROW, ROW_FIELDS } from "#engine/kernels/rows.ts";

/** An output element that differs from the reference by more than the kernel's tolerance. */
export interface Deviation {
  readonly kernel: string;
  readonly label: string;
  readonly binding: string;
  readonly index: number;
  readonly got: number;
  readonly expected: number;
}

/** Views with their own memory; views that were one stay one. */
function copies(views: readonly View[]): readonly View[] {
  const made = new Map<View, View>();
  for (const view of views) made.set(view, view.slice());
  return views.map((view) => made.get(view) as View);
}

/** Nearer than this to the boundary between two tokens, rounding may decide the draw. */
const BOUNDARY = 1e-4;

/** Elements of each binding of a `sample-token` case that belong to draws rounding may decide. */
function undecided({ views, values }: KernelCase): readonly ReadonlySet<number>[] {
  const [logits, uniforms, automaton, rows] = [f32(views, 0), f32(views, 1), u32(views, 2), u32(views, 3)];
  const [vocabulary, stride, limit] = [value(values, "vocabulary"), value(values, "stride"), value(values, "limit")];
  const skipped = views.map(() => new Set<number>());
  if (value(values, "greedy") === 1) return skipped;
  for (let row = 0; row < value(values, "rows"); row += 1) {
    const field = (at: number): number => rows[row * ROW_FIELDS + at] ?? 0;
    const weights = Array.from({ length: vocabulary }, (_, token) =>
      automaton[field(ROW.STATE) * (vocabulary + 1) + token] === ILLEGAL ? 0 : exp(logits[row * stride + token] ?? 0),
    );
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const uniform = uniforms[field(ROW.END) * limit + field(ROW.COUNT)] ?? 0;
    let cumulative = 0;
    const near = weights.some((weight) => {
      cumulative += weight;
      return weight > 0 && cumulative < total && Math.abs(cumulative / total - uniform) < BOUNDARY;
    });
    if (!near) continue;
    for (let at = 0; at < ROW_FIELDS; at += 1) skipped[3]?.add(row * ROW_FIELDS + at);
    for (let at = 0; at < limit * ACTION_FIELDS; at += 1) skipped[4]?.add(field(ROW.END) * limit * ACTION_FIELDS + at);
  }
  return skipped;
}

/** Elements behind each output that a kernel must leave alone, and what stands there. */
const GUARD = 64;
const UNTOUCHED = 12345;

/** Runs one case on the executor and on the reference, and compares every element of every output. */
async function compare(executor: Executor, kernel: KernelDefinition, tried: KernelCase): Promise<readonly Deviation[]> {
  const buffers = new Map<View, DeviceBuffer>();
  for (const [index, view] of tried.views.entries()) {
    if (buffers.has(view)) continue;
    const { name = "", kind = "f32", access = "read" } = kernel.bindings[index] ?? {};
    const buffer = executor.alloc(`${kernel.name}.${name}`, kind, view.length + (access === "write" ? GUARD : 0));
    executor.upload(buffer, view);
    if (access === "write") executor.upload(buffer, (kind === "f32" ? new Float32Array(GUARD) : new Uint32Array(GUARD)).fill(UNTOUCHED), view.length);
    buffers.set(view, buffer);
  }
  executor.run(kernel, tried.views.map((view) => buffers.get(view) as DeviceBuffer), tried.values);
  const expected = copies(tried.views);
  kernel.reference(expected, tried.values);
  const skipped = kernel.name === "sample-token" ? undecided(tried) : [];
  const found: Deviation[] = [];
  for (const [binding, { name, kind, access }] of kernel.bindings.entries()) {
    const buffer = buffers.get(tried.views[binding] as View);
    if (access === "read" || buffer === undefined) continue;
    const got = await executor.read(buffer);
    const wantedHere = expected[binding] as View;
    for (const [index, seen] of got.entries()) {
      const wanted = wantedHere[index] ?? UNTOUCHED;
      const allowed = kind === "u32" ? 0 : kernel.tolerance * (1 + Math.abs(wanted));
      // NaN is no number of agreement: the comparison is written so that it fails.
      if (!(Math.abs(seen - wanted) <= allowed) && skipped[binding]?.has(index) !== true)
        found.push({ kernel: kernel.name, label: tried.label, binding: name, index, got: seen, expected: wanted });
    }
  }
  for (const buffer of buffers.values()) executor.free(buffer);
  return found;
}

/** All cases of a kernel, from one seed. */
export async function deviations(executor: Executor, kernel: KernelDefinition): Promise<readonly Deviation[]> {
  const found: Deviation[] = [];
  for (const tried of kernel.cases(createRng(7).fork(kernel.name))) found.push(...(await compare(executor, kernel, tried)));
  return found;
}
