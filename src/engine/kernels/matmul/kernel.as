import { madd, splat } from "../../wasm/vector";

/** Rows walked per panel of b, so that both stay in the first caches. */
const CHUNK: u32 = 60;

// @ts-ignore: decorator
@inline
function finish(sum: v128, other: usize, c: usize, mode: u32): void {
  if (mode == 1) sum = f32x4.add(sum, v128.load(other));
  else if (mode == 2) sum = f32x4.pmax(sum, f32x4.splat(0));
  else if (mode == 3) sum = v128.and(sum, f32x4.gt(v128.load(other), f32x4.splat(0)));
  v128.store(c, sum);
}

/**
 * Six rows × eight columns: every element is one running sum over k, as in the single-row forms below. Twelve sums, two vectors of b and one
 * number of a are what registers hold: with more, or with two steps of k at a time, a third of the speed is lost.
 */
// @ts-ignore: decorator
@inline
function block6x8(a: usize, b: usize, other: usize, c: usize, inner: u32, aStride: usize, cStride: usize, mode: u32): void {
  let s00 = f32x4.splat(0), s01 = f32x4.splat(0), s10 = f32x4.splat(0), s11 = f32x4.splat(0), s20 = f32x4.splat(0), s21 = f32x4.splat(0);
  let s30 = f32x4.splat(0), s31 = f32x4.splat(0), s40 = f32x4.splat(0), s41 = f32x4.splat(0), s50 = f32x4.splat(0), s51 = f32x4.splat(0);
  let a0 = a, a1 = a0 + aStride, a2 = a1 + aStride, a3 = a2 + aStride, a4 = a3 + aStride, a5 = a4 + aStride;
  const end = a + ((<usize>inner) << 2);
  while (a0 < end) {
    const b0 = v128.load(b), b1 = v128.load(b, 16);
    let x = splat(a0);
    s00 = madd(x, b0, s00); s01 = madd(x, b1, s01);
    x = splat(a1);
    s10 = madd(x, b0, s10); s11 = madd(x, b1, s11);
    x = splat(a2);
    s20 = madd(x, b0, s20); s21 = madd(x, b1, s21);
    x = splat(a3);
    s30 = madd(x, b0, s30); s31 = madd(x, b1, s31);
    x = splat(a4);
    s40 = madd(x, b0, s40); s41 = madd(x, b1, s41);
    x = splat(a5);
    s50 = madd(x, b0, s50); s51 = madd(x, b1, s51);
    b += cStride;
    a0 += 4; a1 += 4; a2 += 4; a3 += 4; a4 += 4; a5 += 4;
  }
  finish(s00, other, c, mode); finish(s01, other + 16, c + 16, mode);
  other += cStride; c += cStride;
  finish(s10, other, c, mode); finish(s11, other + 16, c + 16, mode);
  other += cStride; c += cStride;
  finish(s20, other, c, mode); finish(s21, other + 16, c + 16, mode);
  other += cStride; c += cStride;
  finish(s30, other, c, mode); finish(s31, other + 16, c + 16, mode);
  other += cStride; c += cStride;
  finish(s40, other, c, mode); finish(s41, other + 16, c + 16, mode);
  other += cStride; c += cStride;
  finish(s50, other, c, mode); finish(s51, other + 16, c + 16, mode);
}

// @ts-ignore: decorator
@inline
function block4x8(a: usize, b: usize, other: usize, c: usize, inner: u32, aStride: usize, cStride: usize, mode: u32): void {
  let s00 = f32x4.splat(0), s01 = f32x4.splat(0), s10 = f32x4.splat(0), s11 = f32x4.splat(0), s20 = f32x4.splat(0), s21 = f32x4.splat(0);
  let s30 = f32x4.splat(0), s31 = f32x4.splat(0);
  let a0 = a, a1 = a0 + aStride, a2 = a1 + aStride, a3 = a2 + aStride;
  const end = a + ((<usize>inner) << 2);
  while (a0 < end) {
    const b0 = v128.load(b), b1 = v128.load(b, 16);
    let x = splat(a0);
    s00 = madd(x, b0, s00); s01 = madd(x, b1, s01);
    x = splat(a1);
    s10 = madd(x, b0, s10); s11 = madd(x, b1, s11);
    x = splat(a2);
    s20 = madd(x, b0, s20); s21 = madd(x, b1, s21);
    x = splat(a3);
    s30 = madd(x, b0, s30); s31 = madd(x, b1, s31);
    b += cStride;
    a0 += 4; a1 += 4; a2 += 4; a3 += 4;
  }
  finish(s00, other, c, mode); finish(s01, other + 16, c + 16, mode);
  other += cStride; c += cStride;
  finish(s10, other, c, mode); finish(s11, other + 16, c + 16, mode);
  other += cStride; c += cStride;
  finish(s20, other, c, mode); finish(s21, other + 16, c + 16, mode);
  other += cStride; c += cStride;
  finish(s30, other, c, mode); finish(s31, other + 16, c + 16, mode);
}

// @ts-ignore: decorator
@inline
function block1x8(a: usize, b: usize, other: usize, c: usize, inner: u32, cStride: usize, mode: u32): void {
  let s0 = f32x4.splat(0), s1 = f32x4.splat(0);
  for (let k: u32 = 0; k < inner; k++) {
    const x = splat(a);
    s0 = madd(x, v128.load(b), s0);
    s1 = madd(x, v128.load(b, 16), s1);
    a += 4;
    b += cStride;
  }
  finish(s0, other, c, mode);
  finish(s1, other + 16, c + 16, mode);
}

// @ts-ignore: decorator
@inline
function block1x4(a: usize, b: usize, other: usize, c: usize, inner: u32, cStride: usize, mode: u32): void {
  let s0 = f32x4.splat(0);
  for (let k: u32 = 0; k < inner; k++) {
    s0 = madd(splat(a), v128.load(b), s0);
    a += 4;
    b += cStride;
  }
  finish(s0, other, c, mode);
}

export function matmul(a: usize, b: usize, other: usize, c: usize, inner: u32, columns: u32, mode: u32, rows: u32): void {
  const aStride = (<usize>inner) << 2;
  const cStride = (<usize>columns) << 2;
  for (let first: u32 = 0; first < rows; first += CHUNK) {
    const last = min(first + CHUNK, rows);
    let column: u32 = 0;
    for (; column + 8 <= columns; column += 8) {
      const shift = (<usize>column) << 2;
      let row = first;
      for (; row + 6 <= last; row += 6) {
        const at = (<usize>row) * cStride + shift;
        block6x8(a + (<usize>row) * aStride, b + shift, other + at, c + at, inner, aStride, cStride, mode);
      }
      for (; row + 4 <= last; row += 4) {
        const at = (<usize>row) * cStride + shift;
        block4x8(a + (<usize>row) * aStride, b + shift, other + at, c + at, inner, aStride, cStride, mode);
      }
      for (; row < last; row++) {
        const at = (<usize>row) * cStride + shift;
        block1x8(a + (<usize>row) * aStride, b + shift, other + at, c + at, inner, cStride, mode);
      }
    }
    if (column < columns) {
      const shift = (<usize>column) << 2;
      for (let row = first; row < last; row++) {
        const at = (<usize>row) * cStride + shift;
        block1x4(a + (<usize>row) * aStride, b + shift, other + at, c + at, inner, cStride, mode);
      }
    }
  }
}
