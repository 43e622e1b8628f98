export type Provider = "wasm" | "webgpu";

/** To the worker that holds the session. One message at a time: the next is sent when the answer is there. */
export type ToPlayer =
  /** `warm` are shapes [rows, time] that are run once while there is patience: what they prepare (shaders above all), later calls find. */
  | { readonly type: "open"; readonly bytes: Uint8Array<ArrayBuffer>; readonly provider: Provider; readonly warm: readonly (readonly [rows: number, time: number])[] }
  /** `tokens` is [rows, time]; wanted are the logits at one place of each row, counted over all of `tokens`. */
  | { readonly type: "run"; readonly tokens: BigInt64Array<ArrayBuffer>; readonly rows: number; readonly time: number; readonly places: Uint32Array };

export type FromPlayer =
  | { readonly type: "opened" }
  /** [places, columns]. */
  | { readonly type: "ran"; readonly logits: Float32Array<ArrayBuffer> }
  | { readonly type: "failed"; readonly message: string };

/** A worker as the queue sees it. */
export interface PlayerPort {
  post(message: ToPlayer): void;
  listen(onMessage: (message: FromPlayer) => void, onFailure: (reason: string) => void): void;
  terminate(): void;
}

/** A model that can be run; of onnxruntime-web in the worker. */
export interface PlayerSession {
  /** @returns logits, [rows, time, columns] flat */
  run(tokens: BigInt64Array<ArrayBuffer>, rows: number, time: number): Promise<Float32Array>;
}

export type OpenSession = (bytes: Uint8Array, provider: Provider) => Promise<PlayerSession>;
