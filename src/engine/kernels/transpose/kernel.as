export function transpose(a: usize, b: usize, rows: u32, columns: u32): void {
  for (let row: u32 = 0; row < rows; row++)
    for (let column: u32 = 0; column < columns; column++)
      store<f32>(b + ((<usize>(column * rows + row)) << 2), load<f32>(a + ((<usize>(row * columns + column)) << 2)));
}
