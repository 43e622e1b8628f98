import { defaultDevice, init, jit, nn, numpy as np, tree, valueAndGrad } from "@jax-js/jax";

/**
 * The model of src/engine/transformer.ts in jax-js, one jitted training step.
 * @param {string} device "wasm" or "webgpu"
 * @returns {import("../page/problem.ts").OpenContestant}
 */
export const jax = (device) => async ({ layout, model, batch, weights, tokens, learningRate }) => {
  await init(device);
  defaultDevice(device);
  const { width, context, layers, vocabulary } = model;
  const heads = width / 16;
  const int = (values, shape) => np.array(Int32Array.from(values), { dtype: np.int32 }).reshape(shape);
  const length = context;
  const at = (of) => Array.from({ length: batch * length }, (_, index) => of(Math.floor(index / length) * (length + 1) + (index % length), index % length));
  const current = int(at((place) => tokens[place]), [batch, length]);
  const previous = int(at((place, position) => (position === 0 ? 0 : tokens[place - 1])), [batch, length]);
  const target = int(at((place) => tokens[place + 1]), [batch, length]);
  const causal = np.array(Float32Array.from({ length: length * length }, (_, index) => (index % length > Math.floor(index / length) ? -1e9 : 0))).reshape([1, 1, length, length]);

  const parameters = {};
  let start = 0;
  for (const { name, shape, size } of layout.tensors) {
    parameters[name] = np.array(weights.slice(start, start + size)).reshape([...shape]);
    start += size;
  }
  const norm = (x, gain) => {
    const mean = np.mean(np.square(x.ref), -1, { keepdims: true });
    return x.mul(np.reciprocal(np.sqrt(mean.add(1e-5)))).mul(gain);
  };
  const look = (table, ids) => np.dot(nn.oneHot(ids, vocabulary), table);
  const loss = (p, now, before, next, mask) => {
    let x = look(p["embed.token"], now).add(p["embed.position"]).add(look(p["embed.previous"], before));
    for (let layer = 0; layer < layers; layer += 1) {
      const w = (name) => p[`layers.${layer}.${name}`];
      const qkv = np.dot(norm(x.ref, w("attention.norm")), w("attention.qkv")).reshape([batch, length, 3, heads, 16]);
      const [q, k, v] = [0, 1, 2].map((part) => (part < 2 ? qkv.ref : qkv).slice([], [], part, [], []).transpose([0, 2, 1, 3]));
      const scores = np.matmul(q, k.transpose([0, 1, 3, 2])).mul(0.25).add(mask.ref);
      const mixed = np.matmul(nn.softmax(scores, -1), v).transpose([0, 2, 1, 3]).reshape([batch, length, width]);
      x = x.add(np.dot(mixed, w("attention.out")));
      const hidden = nn.relu(np.dot(norm(x.ref, w("mlp.norm")), w("mlp.up")));
      x = x.add(np.dot(hidden, w("mlp.down")));
    }
    mask.dispose();
    const logits = np.dot(norm(x, p["norm"]), p["head"]);
    const logprobs = nn.logSoftmax(logits, -1);
    return np.mean(np.sum(logprobs.mul(nn.oneHot(next, vocabulary)), -1)).neg();
  };
  const zeros = () => Object.fromEntries(layout.tensors.map(({ name, shape }) => [name, np.zeros([...shape])]));
  let state = { p: parameters, m: zeros(), v: zeros() };
  let step = 0;
  const update = jit((p, m, v, correction1, correction2, ...data) => {
    const [value, grads] = valueAndGrad(loss)(tree.ref(p), ...data);
    const next = { p: {}, m: {}, v: {} };
    for (const name of Object.keys(p)) {
      const g = grads[name];
      const first = m[name].mul(0.9).add(g.ref.mul(0.1));
      const second = v[name].mul(0.98).add(np.square(g).mul(0.02));
      next.m[name] = first.ref;
      next.v[name] = second.ref;
      next.p[name] = p[name].sub(first.mul(correction1.ref).div(np.sqrt(second.mul(correction2.ref)).add(1e-8)).mul(learningRate));
    }
    correction1.dispose();
    correction2.dispose();
    return { value, ...next };
  });
  const evaluate = jit(loss);
  const data = () => [current.ref, previous.ref, target.ref, causal.ref];
  return {
    async train() {
      // Other contestants have theirs, and it is one for all.
      defaultDevice(device);
      step += 1;
      const made = update(state.p, state.m, state.v, np.array(1 / (1 - 0.9 ** step)), np.array(1 / (1 - 0.98 ** step)), ...data());
      state = { p: made.p, m: made.m, v: made.v };
      const [value] = await made.value.data();
      // The step is over when its parameters are there, not when its loss is.
      await state.p.norm.ref.data();
      return value;
    },
    async forward() {
      defaultDevice(device);
      const [value] = await evaluate(tree.ref(state.p), ...data()).data();
      return value;
    },
    dispose() {
      for (const part of [state.p, state.m, state.v]) tree.dispose(part);
      for (const array of [current, previous, target, causal]) array.dispose();
      update.dispose();
      evaluate.dispose();
    },
  };
};
