// Micro-kernels for the roof of one core: twelve independent chains of multiply-adds, and a copy.

export function multiplyAdd(rounds: u32): f32 {
  const x = f32x4.splat(0.999), y = f32x4.splat(0.001);
  let a = f32x4.splat(1), b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a, k = a, l = a;
  for (let round: u32 = 0; round < rounds; round++) {
    if (ASC_FEATURE_RELAXED_SIMD) {
      a = f32x4.relaxed_madd(a, x, y); b = f32x4.relaxed_madd(b, x, y); c = f32x4.relaxed_madd(c, x, y); d = f32x4.relaxed_madd(d, x, y);
      e = f32x4.relaxed_madd(e, x, y); f = f32x4.relaxed_madd(f, x, y); g = f32x4.relaxed_madd(g, x, y); h = f32x4.relaxed_madd(h, x, y);
      i = f32x4.relaxed_madd(i, x, y); j = f32x4.relaxed_madd(j, x, y); k = f32x4.relaxed_madd(k, x, y); l = f32x4.relaxed_madd(l, x, y);
    } else {
      a = f32x4.add(f32x4.mul(a, x), y); b = f32x4.add(f32x4.mul(b, x), y); c = f32x4.add(f32x4.mul(c, x), y); d = f32x4.add(f32x4.mul(d, x), y);
      e = f32x4.add(f32x4.mul(e, x), y); f = f32x4.add(f32x4.mul(f, x), y); g = f32x4.add(f32x4.mul(g, x), y); h = f32x4.add(f32x4.mul(h, x), y);
      i = f32x4.add(f32x4.mul(i, x), y); j = f32x4.add(f32x4.mul(j, x), y); k = f32x4.add(f32x4.mul(k, x), y); l = f32x4.add(f32x4.mul(l, x), y);
    }
  }
  a = f32x4.add(f32x4.add(f32x4.add(a, b), f32x4.add(c, d)), f32x4.add(f32x4.add(e, f), f32x4.add(g, h)));
  a = f32x4.add(a, f32x4.add(f32x4.add(i, j), f32x4.add(k, l)));
  return f32x4.extract_lane(a, 0);
}

export function copy(from: usize, to: usize, bytes: u32): void {
  for (let at: u32 = 0; at < bytes; at += 64) {
    v128.store(to + at, v128.load(from + at));
    v128.store(to + at, v128.load(from + at, 16), 16);
    v128.store(to + at, v128.load(from + at, 32), 32);
    v128.store(to + at, v128.load(from + at, 48), 48);
  }
}
