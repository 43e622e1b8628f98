import "@tensorflow/tfjs-backend-cpu";
import "@tensorflow/tfjs-backend-webgpu";
import { setThreadsCount, setWasmPaths } from "@tensorflow/tfjs-backend-wasm";
import plain from "@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm.wasm?url";
import simd from "@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm?url";
import threaded from "@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-threaded-simd.wasm?url";
import * as tf from "@tensorflow/tfjs-core";
import "@tensorflow/tfjs-core/dist/register_all_gradients";
import "@tensorflow/tfjs-core/dist/public/chained_ops/register_all_chained_ops";

/**
 * The model of src/engine/transformer.ts in TensorFlow.js; embeddings as products with one-hot rows, for its WASM backend has no gradient of gather.
 * @param {"wasm" | "webgpu" | "cpu"} backend
 * @returns {import("../page/problem.ts").OpenContestant}
 */
export const tfjs = (backend) => async ({ layout, model, batch, weights, tokens, learningRate }) => {
  setWasmPaths({ "tfjs-backend-wasm.wasm": plain, "tfjs-backend-wasm-simd.wasm": simd, "tfjs-backend-wasm-threaded-simd.wasm": threaded });
  setThreadsCount(1);
  /** The backend is one for all contestants: it is set again before each step. */
  const own = async () => {
    if (!(await tf.setBackend(backend))) throw new Error(`tfjs has no backend ${backend} here`);
    await tf.ready();
  };
  await own();
  const { width, context, layers, vocabulary } = model;
  const heads = width / 16;
  const at = (of) => Int32Array.from({ length: batch * context }, (_, index) => of(Math.floor(index / context) * (context + 1) + (index % context), index % context));
  const hot = (ids) => tf.tidy(() => tf.oneHot(tf.tensor1d(ids, "int32"), vocabulary).toFloat());
  const [current, previous, target] = [hot(at((place) => tokens[place])), hot(at((place, position) => (position === 0 ? 0 : tokens[place - 1]))), hot(at((place) => tokens[place + 1]))];
  const causal = tf.tensor(Float32Array.from({ length: context * context }, (_, index) => (index % context > Math.floor(index / context) ? -1e9 : 0)), [1, 1, context, context]);
  const p = {};
  let start = 0;
  for (const { name, shape, size } of layout.tensors) {
    p[name] = tf.variable(tf.tensor(weights.slice(start, start + size), [...shape]));
    start += size;
  }
  const moments = Object.fromEntries(Object.entries(p).map(([name, value]) => [name, [tf.variable(tf.zerosLike(value)), tf.variable(tf.zerosLike(value))]]));
  const norm = (x, gain) => x.mul(tf.rsqrt(tf.mean(tf.square(x), -1, true).add(1e-5))).mul(gain);
  const loss = () => {
    const places = tf.tile(p["embed.position"].expandDims(0), [batch, 1, 1]).reshape([batch * context, width]);
    let x = tf.matMul(current, p["embed.token"]).add(places).add(tf.matMul(previous, p["embed.previous"]));
    for (let layer = 0; layer < layers; layer += 1) {
      const w = (part) => p[`layers.${layer}.${part}`];
      const qkv = tf.matMul(norm(x, w("attention.norm")), w("attention.qkv"));
      const [q, k, v] = tf.split(qkv, 3, 1).map((part) => part.reshape([batch, context, heads, 16]).transpose([0, 2, 1, 3]));
      const scores = tf.matMul(q, k, false, true).mul(0.25).add(causal);
      const mixed = tf.matMul(tf.softmax(scores), v).transpose([0, 2, 1, 3]).reshape([batch * context, width]);
      x = x.add(tf.matMul(mixed, w("attention.out")));
      x = x.add(tf.matMul(tf.relu(tf.matMul(norm(x, w("mlp.norm")), w("mlp.up"))), w("mlp.down")));
    }
    const logits = tf.matMul(norm(x, p["norm"]), p["head"]);
    return tf.logSoftmax(logits).mul(target).sum(-1).mean().neg();
  };
  let step = 0;
  return {
    async train() {
      await own();
      step += 1;
      const { value, grads } = tf.variableGrads(loss, Object.values(p));
      tf.tidy(() => {
        for (const [name, variable] of Object.entries(p)) {
          const [first, second] = moments[name];
          const g = grads[variable.name];
          first.assign(first.mul(0.9).add(g.mul(0.1)));
          second.assign(second.mul(0.98).add(g.square().mul(0.02)));
          const [m, v] = [first.div(1 - 0.9 ** step), second.div(1 - 0.98 ** step)];
          variable.assign(variable.sub(m.div(v.sqrt().add(1e-8)).mul(learningRate)));
        }
      });
      tf.dispose(grads);
      const [read] = await value.data();
      value.dispose();
      await p.norm.data();
      return read;
    },
    async forward() {
      await own();
      const value = tf.tidy(loss);
      const [read] = await value.data();
      value.dispose();
      return read;
    },
    dispose() {
      tf.dispose([current, previous, target, causal, ...Object.values(p), ...Object.values(moments).flat()]);
    },
  };
};
