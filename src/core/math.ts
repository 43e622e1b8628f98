/**
 * exp, log and cos of our own: engines may differ in the last bits of Math's, and a run must be the same everywhere.
 * Only operations that IEEE 754 fixes are used. Relative error below 1e-15.
 */
const bits = new DataView(new ArrayBuffer(8));
const LN2_HIGH = 6.93147180369123816490e-1;
const LN2_LOW = 1.90821492927058770002e-10;

const powerOfTwo = (exponent: number): number => {
  bits.setUint32(0, (exponent + 1023) << 20);
  bits.setUint32(4, 0);
  return bits.getFloat64(0);
};

export function exp(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x > 709.782712893384) return Infinity;
  if (x < -745.2) return 0;
  const k = Math.floor(x / Math.LN2 + 0.5);
  const r = x - k * LN2_HIGH - k * LN2_LOW;
  let sum = 1;
  for (let n = 13; n >= 1; n -= 1) sum = 1 + (r / n) * sum;
  const half = Math.trunc(k / 2);
  return sum * powerOfTwo(half) * powerOfTwo(k - half);
}

export function log(x: number): number {
  if (Number.isNaN(x) || x < 0) return NaN;
  if (x === 0) return -Infinity;
  if (x === Infinity) return x;
  let scale = 0;
  let value = x;
  if (value < 2.2250738585072014e-308) {
    value *= 18014398509481984;
    scale = -54;
  }
  bits.setFloat64(0, value);
  const high = bits.getUint32(0);
  let exponent = ((high >>> 20) & 0x7ff) - 1023 + scale;
  bits.setUint32(0, (high & 0xfffff) | 0x3ff00000);
  let mantissa = bits.getFloat64(0);
  if (mantissa > Math.SQRT2) {
    mantissa /= 2;
    exponent += 1;
  }
  const s = (mantissa - 1) / (mantissa + 1);
  const square = s * s;
  let series = 0;
  for (let n = 25; n >= 1; n -= 2) series = series * square + 1 / n;
  return exponent * LN2_HIGH + (2 * s * series + exponent * LN2_LOW);
}

/** For |x| ≤ 2π, which is all that schedules need. */
export function cos(x: number): number {
  let term = 1;
  let sum = 1;
  for (let n = 2; n <= 40; n += 2) {
    term *= -(x * x) / (n * (n - 1));
    sum += term;
  }
  return sum;
}
