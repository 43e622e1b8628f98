/** Globals that page, worker and Node all have and lib ES2023 does not name; read by tsconfig.core.json alone. */
declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>;
}
declare class TextDecoder {
  constructor(label?: string, options?: { readonly fatal?: boolean });
  decode(bytes?: ArrayBuffer | ArrayBufferView): string;
}
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
}
declare function structuredClone<T>(value: T): T;
