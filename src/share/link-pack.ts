import { deflateSync, Inflate } from "fflate";
import { LinkError } from "#core/errors.ts";

/** Most bytes a packed text may unfold to. */
const UNPACKED_LIMIT = 65_536;
/** Fed piece by piece, so that a text made to explode is noticed when it has unfolded to little more than that. */
const PIECE = 64;
const ALPHABET = /^[A-Za-z0-9_-]+$/;

/** Raw deflate, in base64url without padding. */
export function packBytes(content: Uint8Array): string {
  const bytes = deflateSync(content, { level: 9 });
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The same of the UTF-8 text. */
export const pack = (text: string): string => packBytes(new TextEncoder().encode(text));

/** @throws LinkError for what `pack` did not make, or what unfolds to more than is safe. */
export function unpack(packed: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(unpackBytes(packed));
  } catch (error) {
    throw error instanceof LinkError ? error : broken();
  }
}

const broken = (): LinkError => new LinkError("the packed part is damaged: it may have been cut off", { fault: "packed-broken" });

/** @throws LinkError for what `packBytes` did not make, or what unfolds to more than is safe. */
export function unpackBytes(packed: string): Uint8Array {
  if (!ALPHABET.test(packed)) throw new LinkError("the packed part has characters that do not belong there", { fault: "packed-characters" });
  if (packed.length % 4 === 1) throw broken();
  const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
  const pieces: Uint8Array[] = [];
  let size = 0;
  let ended = false;
  const inflate = new Inflate((piece, final) => {
    size += piece.length;
    if (size > UNPACKED_LIMIT) throw new LinkError(`the packed part unfolds to more than ${UNPACKED_LIMIT} bytes`, { fault: "packed-too-large" });
    pieces.push(piece);
    ended ||= final;
  });
  try {
    for (let from = 0; from < bytes.length; from += PIECE) inflate.push(bytes.subarray(from, from + PIECE), from + PIECE >= bytes.length);
    if (!ended) throw broken();
    const whole = new Uint8Array(size);
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  } catch (error) {
    throw error instanceof LinkError ? error : broken();
  }
}
