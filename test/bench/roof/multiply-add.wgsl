// Roof of a WebGPU adapter: out[i] after `rounds` times eight multiply-adds in two vectors of four. Bindings: out[invocations], rounds.
@group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
@group(0) @binding(1) var<uniform> rounds: vec4u;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&out)) { return; }
  var a = vec4f(f32(id.x) * 1e-9);
  var b = a + 1.0;
  let x = vec4f(0.999);
  let y = vec4f(0.001);
  for (var round = 0u; round < rounds.x; round++) {
    a = fma(a, x, y); b = fma(b, x, y);
    a = fma(a, x, y); b = fma(b, x, y);
    a = fma(a, x, y); b = fma(b, x, y);
    a = fma(a, x, y); b = fma(b, x, y);
  }
  out[id.x] = a + b;
}
