export function gatherRows(x: usize, index: usize, y: usize, width: u32, rows: u32): void {
  const bytes = (<usize>width) << 2;
  for (let row: u32 = 0; row < rows; row++) {
    const from = load<u32>(index + ((<usize>row) << 2));
    const to = y + (<usize>row) * bytes;
    if (from == 0xffffffff) memory.fill(to, 0, bytes);
    else memory.copy(to, x + (<usize>from) * bytes, bytes);
  }
}
