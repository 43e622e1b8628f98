import { madd, SHARDS, splat } from "../../wasm/vector";

/** Rows summed per visit of a block, so that both operands stay in the first caches. */
const CHUNK: u32 = 128;

/** Six rows of the gradient × eight columns: what registers hold, as in `matmul`. */
// @ts-ignore: decorator
@inline
function block6x8(a: usize, dc: usize, to: usize, rows: u32, aStride: usize, cStride: usize): void {
  const to1 = to + cStride, to2 = to1 + cStride, to3 = to2 + cStride, to4 = to3 + cStride, to5 = to4 + cStride;
  let s00 = v128.load(to), s01 = v128.load(to, 16), s10 = v128.load(to1), s11 = v128.load(to1, 16);
  let s20 = v128.load(to2), s21 = v128.load(to2, 16), s30 = v128.load(to3), s31 = v128.load(to3, 16);
  let s40 = v128.load(to4), s41 = v128.load(to4, 16), s50 = v128.load(to5), s51 = v128.load(to5, 16);
  for (let row: u32 = 0; row < rows; row++) {
    const d0 = v128.load(dc), d1 = v128.load(dc, 16);
    let x = splat(a);
    s00 = madd(x, d0, s00); s01 = madd(x, d1, s01);
    x = v128.load32_splat(a, 4);
    s10 = madd(x, d0, s10); s11 = madd(x, d1, s11);
    x = v128.load32_splat(a, 8);
    s20 = madd(x, d0, s20); s21 = madd(x, d1, s21);
    x = v128.load32_splat(a, 12);
    s30 = madd(x, d0, s30); s31 = madd(x, d1, s31);
    x = v128.load32_splat(a, 16);
    s40 = madd(x, d0, s40); s41 = madd(x, d1, s41);
    x = v128.load32_splat(a, 20);
    s50 = madd(x, d0, s50); s51 = madd(x, d1, s51);
    a += aStride;
    dc += cStride;
  }
  v128.store(to, s00); v128.store(to, s01, 16); v128.store(to1, s10); v128.store(to1, s11, 16);
  v128.store(to2, s20); v128.store(to2, s21, 16); v128.store(to3, s30); v128.store(to3, s31, 16);
  v128.store(to4, s40); v128.store(to4, s41, 16); v128.store(to5, s50); v128.store(to5, s51, 16);
}

// @ts-ignore: decorator
@inline
function block4x8(a: usize, dc: usize, to: usize, rows: u32, aStride: usize, cStride: usize): void {
  const to1 = to + cStride, to2 = to1 + cStride, to3 = to2 + cStride;
  let s00 = v128.load(to), s01 = v128.load(to, 16), s10 = v128.load(to1), s11 = v128.load(to1, 16);
  let s20 = v128.load(to2), s21 = v128.load(to2, 16), s30 = v128.load(to3), s31 = v128.load(to3, 16);
  for (let row: u32 = 0; row < rows; row++) {
    const d0 = v128.load(dc), d1 = v128.load(dc, 16);
    let x = splat(a);
    s00 = madd(x, d0, s00); s01 = madd(x, d1, s01);
    x = v128.load32_splat(a, 4);
    s10 = madd(x, d0, s10); s11 = madd(x, d1, s11);
    x = v128.load32_splat(a, 8);
    s20 = madd(x, d0, s20); s21 = madd(x, d1, s21);
    x = v128.load32_splat(a, 12);
    s30 = madd(x, d0, s30); s31 = madd(x, d1, s31);
    a += aStride;
    dc += cStride;
  }
  v128.store(to, s00); v128.store(to, s01, 16); v128.store(to1, s10); v128.store(to1, s11, 16);
  v128.store(to2, s20); v128.store(to2, s21, 16); v128.store(to3, s30); v128.store(to3, s31, 16);
}

// @ts-ignore: decorator
@inline
function block1x4(a: usize, dc: usize, to: usize, rows: u32, aStride: usize, cStride: usize): void {
  let s = v128.load(to);
  for (let row: u32 = 0; row < rows; row++) {
    s = madd(splat(a), v128.load(dc), s);
    a += aStride;
    dc += cStride;
  }
  v128.store(to, s);
}

export function matmulGradient(a: usize, dc: usize, starts: usize, gradient: usize, inner: u32, columns: u32, stride: u32): void {
  const aStride = (<usize>inner) << 2;
  const cStride = (<usize>columns) << 2;
  for (let shard: u32 = 0; shard < SHARDS; shard++) {
    const to = gradient + (<usize>shard) * ((<usize>stride) << 2);
    const end = load<u32>(starts + ((<usize>shard + 1) << 2));
    for (let first = load<u32>(starts + ((<usize>shard) << 2)); first < end; first += CHUNK) {
      const rows = min(CHUNK, end - first);
      const fromA = a + (<usize>first) * aStride;
      const fromC = dc + (<usize>first) * cStride;
      for (let k: u32 = 0; k < inner; ) {
        const left = inner - k;
        const high: u32 = left == 4 || left == 8 ? 4 : 6;
        const shiftA = (<usize>k) << 2;
        const target = to + (<usize>k) * cStride;
        let column: u32 = 0;
        for (; column + 8 <= columns; column += 8) {
          const shift = (<usize>column) << 2;
          if (high == 6) block6x8(fromA + shiftA, fromC + shift, target + shift, rows, aStride, cStride);
          else block4x8(fromA + shiftA, fromC + shift, target + shift, rows, aStride, cStride);
        }
        if (column < columns) {
          const shift = (<usize>column) << 2;
          for (let i: u32 = 0; i < high; i++)
            block1x4(fromA + shiftA + (<usize>i << 2), fromC + shift, target + (<usize>i) * cStride + shift, rows, aStride, cStride);
        }
        k += high;
      }
    }
  }
}
