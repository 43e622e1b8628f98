const BETA1: f32 = 0.9;
const BETA2: f32 = 0.98;
const EPSILON: f32 = 1e-8;
const PARTS: usize = 64;

export function adamw(
  gradient: usize, parts: usize, weights: usize, first: usize, second: usize,
  count: u32, rate: f32, correction1: f32, correction2: f32, maxNorm: f32, decay: f32,
): void {
  let squares: f32 = 0;
  for (let part: usize = 0; part < PARTS; part++) squares += load<f32>(parts + (part << 2));
  const scale = f32x4.splat(min(<f32>1, maxNorm / Mathf.sqrt(squares + <f32>1e-20)));
  const bytes = (<usize>count) << 2;
  for (let at: usize = 0; at < bytes; at += 16) {
    const g = f32x4.mul(v128.load(gradient + at), scale);
    const m = f32x4.add(f32x4.mul(f32x4.splat(BETA1), v128.load(first + at)), f32x4.mul(f32x4.splat(<f32>1 - BETA1), g));
    const v = f32x4.add(f32x4.mul(f32x4.splat(BETA2), v128.load(second + at)), f32x4.mul(f32x4.splat(<f32>1 - BETA2), f32x4.mul(g, g)));
    v128.store(first + at, m);
    v128.store(second + at, v);
    const root = f32x4.add(f32x4.sqrt(f32x4.mul(v, f32x4.splat(correction2))), f32x4.splat(EPSILON));
    const w = v128.load(weights + at);
    const step = f32x4.add(f32x4.div(f32x4.mul(m, f32x4.splat(correction1)), root), f32x4.mul(f32x4.splat(decay), w));
    v128.store(weights + at, f32x4.sub(w, f32x4.mul(f32x4.splat(rate), step)));
  }
}
