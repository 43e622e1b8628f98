import type { Json } from "./trajectory.ts";

/** JSON with sorted keys: equal structures give equal text. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const record = value as { readonly [key: string]: Json };
    return `{${Object.keys(record).toSorted().map((key) => `${JSON.stringify(key)}:${canonical(record[key] as Json)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

/** FNV-1a over UTF-16 code units, 32 bits. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** FNV-1a over the bits of weights, 32 bits, hexadecimal. */
export function fingerprint(weights: Float32Array): string {
  const words = new Uint32Array(weights.buffer, weights.byteOffset, weights.length);
  let hash = 0x811c9dc5;
  for (const word of words) hash = Math.imul(hash ^ word, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
