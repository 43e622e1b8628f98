/** Counter-based splittable generator; a stream is named by its label path, never by batch position. */
export interface Rng {
  /** Uniform in [0, 1), a multiple of 2^-32. */
  next(): number;
  /** An independent stream; depends on this stream's label path and `label`, not on how much was drawn. */
  fork(label: string): Rng;
}
