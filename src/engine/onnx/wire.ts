/** Protocol-buffer encoding, as far as ONNX models need it: varints and length-delimited fields (protobuf.dev, "Encoding"). */
export type Field = Uint8Array<ArrayBuffer>;

const text = new TextEncoder();

export function concatenated(parts: readonly Uint8Array[]): Field {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** @param value an integer from −2⁶³ to 2⁶³ − 1; negative ones take ten bytes */
function varint(value: number | bigint): Field {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Uint8Array.from(bytes);
}

export const integer = (field: number, value: number | bigint): Field => concatenated([varint(field << 3), varint(value)]);
export const bytes = (field: number, value: Uint8Array): Field => concatenated([varint((field << 3) | 2), varint(value.length), value]);
export const string = (field: number, value: string): Field => bytes(field, text.encode(value));
export const message = (field: number, parts: readonly Uint8Array[]): Field => bytes(field, concatenated(parts));
