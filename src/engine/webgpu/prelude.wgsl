// Appended to every kernel: what several of them share. The constants are those of the TypeScript side (wgsl.test.ts compares them).

const WORKGROUP = 64u;
const HEAD_WIDTH = 16u;
const SHARDS = 8u;
const NORM_PARTS = 64u;

const ROW_FIELDS = 8u;
const ROW_TOKEN = 0u;
const ROW_PREVIOUS = 1u;
const ROW_POSITION = 2u;
const ROW_KEY_START = 3u;
const ROW_END = 4u;
const ROW_STATE = 5u;
const ROW_COUNT = 6u;
const ROW_DONE = 7u;

const NO_ROW = 0xffffffffu;
const ACCEPT = 0xfffeu;
const ILLEGAL = 0xffffu;
const NOT_FORCED = 0xffffffffu;

// Stands for a logit that must not count: below every real one, and its differences stay finite.
const NEVER = -1e30;

// Grids of more than 65,535 workgroups are folded into rows of `groups.x` workgroups.
fn linear_index(id: vec3u, groups: vec3u) -> u32 {
  return id.y * groups.x * WORKGROUP + id.x;
}

// exp(x), and 0 where the result would be a denormal, which devices treat differently.
fn exp_or_zero(x: f32) -> f32 {
  return select(0.0, exp(max(x, -87.0)), x > -87.0);
}

// Whether a token is legal, from the word of the state's bits that holds it.
fn is_legal(word: u32, token: u32) -> bool {
  return ((word >> (token & 31u)) & 1u) == 1u;
}
