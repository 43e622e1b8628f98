import { PolicyError } from "#core/errors.ts";

/** One field of a protocol-buffer message: a varint, or bytes (of a text, a message, packed numbers, or one fixed number). */
export type WireField =
  | { readonly field: number; readonly kind: "varint"; readonly value: bigint }
  | { readonly field: number; readonly kind: "bytes" | "fixed"; readonly value: Uint8Array };

const FIXED: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

const text = new TextDecoder("utf-8", { fatal: true });

/** Reads what `wire.ts` writes and no more: groups, unknown wire types, varints over ten bytes and lengths past the end are refused. */
class WireReader {
  readonly #bytes: Uint8Array;
  readonly #what: string;
  #at = 0;

  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = bytes;
    this.#what = what;
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new PolicyError(`it is no ONNX file, or one that is cut off: a number in ${this.#what} goes past its end`);
      this.#at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new PolicyError(`it is no ONNX file: a number in ${this.#what} has more than ten bytes`);
  }

  #take(length: bigint): Uint8Array {
    const left = this.#bytes.length - this.#at;
    if (length > BigInt(left)) throw new PolicyError(`it is no ONNX file, or one that is cut off: ${this.#what} names ${length} bytes where ${left} are left`);
    const taken = this.#bytes.subarray(this.#at, this.#at + Number(length));
    this.#at += Number(length);
    return taken;
  }

  next(): WireField {
    const tag = this.varint();
    const [field, type] = [Number(tag >> 3n), Number(tag & 7n)];
    if (field === 0 || field > 1000) throw new PolicyError(`it is no ONNX file: ${this.#what} has a field ${field}`);
    if (type === 0) return { field, kind: "varint", value: this.varint() };
    if (type === 2) return { field, kind: "bytes", value: this.#take(this.varint()) };
    const size = FIXED[type];
    if (size === undefined) throw new PolicyError(`it is no ONNX file: field ${field} of ${this.#what} has wire type ${type}`);
    return { field, kind: "fixed", value: this.#take(BigInt(size)) };
  }
}

/** The fields of a message, in order. @param what names it in errors. @throws PolicyError */
export function* fieldsOf(bytes: Uint8Array, what: string): Generator<WireField> {
  const reader = new WireReader(bytes, what);
  while (!reader.isDone) yield reader.next();
}

const wrong = ({ field, kind }: WireField, what: string, wanted: string): PolicyError => new PolicyError(`it is no ONNX file: field ${field} of ${what} is a ${kind}, where ${wanted} belongs`);

export function bytesOf(field: WireField, what: string): Uint8Array {
  if (field.kind !== "bytes") throw wrong(field, what, "a text or a message");
  return field.value;
}

const LONGEST_TEXT = 300;

/** A name or another short text. */
export function textOf(field: WireField, what: string): string {
  const bytes = bytesOf(field, what);
  if (bytes.length > LONGEST_TEXT) throw new PolicyError(`${what} has a text of ${bytes.length} bytes, allowed are ${LONGEST_TEXT}`);
  let decoded: string;
  try {
    decoded = text.decode(bytes);
  } catch {
    throw new PolicyError(`it is no ONNX file: ${what} has a text that is not UTF-8`);
  }
  // Names are shown to a person: none that turns or hides what stands beside it.
  if (/\p{C}/u.test(decoded)) throw new PolicyError(`it is no ONNX file: ${what} has a text with control characters`);
  return decoded;
}

/** A signed integer within what numbers hold exactly. */
export function integerOf(field: WireField, what: string): number {
  if (field.kind !== "varint") throw wrong(field, what, "an integer");
  return safe(field.value, what);
}

function safe(value: bigint, what: string): number {
  const signed = BigInt.asIntN(64, value);
  if (signed > BigInt(Number.MAX_SAFE_INTEGER) || signed < -BigInt(Number.MAX_SAFE_INTEGER)) throw new PolicyError(`${what} has the integer ${signed}, which is out of range`);
  return Number(signed);
}

/** Adds one integer of a repeated field, or several packed into one, to those of the fields before it. @param most of all together */
export function addIntegers(to: number[], field: WireField, what: string, most: number): void {
  const reader = field.kind === "varint" ? undefined : new WireReader(bytesOf(field, what), what);
  const add = (value: bigint): void => {
    if (to.length === most) throw new PolicyError(`${what} has more than ${most} integers`);
    to.push(safe(value, what));
  };
  if (field.kind === "varint") add(field.value);
  while (reader?.isDone === false) add(reader.varint());
}
