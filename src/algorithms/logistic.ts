import { exp, log } from "#core/math.ts";

/** 1/(1 + exp(-x)), without overflow. */
export function sigmoid(x: number): number {
  const tail = exp(x < 0 ? x : -x);
  return x < 0 ? tail / (1 + tail) : 1 / (1 + tail);
}

/** log(1 + exp(x)), without overflow: -log sigmoid(-x). */
export const softplus = (x: number): number => Math.max(x, 0) + log(1 + exp(x < 0 ? x : -x));
