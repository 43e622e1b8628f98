import { FAR_BELOW, masked, normalise, total, weights } from "../../wasm/legal-row";
import { ROW_BYTES } from "../../wasm/vector";

const ACCEPT: u32 = 0xfffe;
const ILLEGAL: u32 = 0xffff;
const NOT_FORCED: u32 = 0xffffffff;

// @ts-ignore: decorator
@inline
function append(row: usize, actions: usize, at: u32, token: u32, state: u32, logprob: f32): void {
  const to = actions + (<usize>at) * 12;
  store<f32>(to, <f32>token);
  store<f32>(to, <f32>state, 4);
  store<f32>(to, logprob, 8);
  store<u32>(row, load<u32>(row), 4);
  store<u32>(row, token);
  store<u32>(row, load<u32>(row, 8) + 1, 8);
}

export function sampleToken(
  logits: usize, uniforms: usize, automaton: usize, rows: usize, actions: usize,
  vocabulary: u32, stride: u32, limit: u32, count: u32, greedy: u32,
): void {
  const columns = vocabulary + 1;
  for (let index: u32 = 0; index < count; index++) {
    const row = rows + (<usize>index) * ROW_BYTES;
    if (load<u32>(row, 28) == 1) continue;
    const request = load<u32>(row, 16);
    const state = load<u32>(row, 20);
    let written = load<u32>(row, 24);
    const from = logits + ((<usize>(index * stride)) << 2);
    const table = automaton + ((<usize>(state * columns)) << 2);
    for (let token: u32 = 0; token < vocabulary; token++) {
      const at = (<usize>token) << 2;
      store<f32>(masked + at, load<u32>(table + at) == ILLEGAL ? FAR_BELOW : load<f32>(from + at));
    }
    const normaliser = normalise(vocabulary);
    const target = load<f32>(uniforms + ((<usize>(request * limit + written)) << 2)) * total;
    let chosen: u32 = NOT_FORCED, last: u32 = 0;
    let cumulative: f32 = 0, best: f32 = FAR_BELOW;
    for (let token: u32 = 0; token < vocabulary; token++) {
      const at = (<usize>token) << 2;
      const logit = load<f32>(masked + at);
      if (logit == FAR_BELOW) continue;
      last = token;
      if (greedy == 1) {
        if (logit > best) { best = logit; chosen = token; }
      } else {
        cumulative += load<f32>(weights + at);
        if (cumulative > target) { chosen = token; break; }
      }
    }
    if (chosen == NOT_FORCED) chosen = last;
    append(row, actions, request * limit + written, chosen, state, load<f32>(from + ((<usize>chosen) << 2)) - normaliser);
    written++;
    let after = load<u32>(table + ((<usize>chosen) << 2));
    if (after != ACCEPT && written < limit) {
      const forced = load<u32>(automaton + ((<usize>(after * columns + vocabulary)) << 2));
      if (forced != NOT_FORCED) {
        append(row, actions, request * limit + written, forced, after, 0);
        written++;
        after = ACCEPT;
      }
    }
    store<u32>(row, after, 20);
    store<u32>(row, written, 24);
    store<u32>(row, after == ACCEPT || written >= limit ? 1 : 0, 28);
  }
}
