import type { CodeCall, CodeResult } from "#core/environment.ts";

export interface RunRequest {
  readonly id: number;
  readonly source: string;
  readonly calls: readonly CodeCall[];
  readonly stepLimit: number;
}

/** To a worker: runs to make in this order. From it: that it is ready, or that it cannot be; then each result. */
export type ToWorker = readonly RunRequest[];
export type FromWorker =
  | { readonly type: "ready" }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "result"; readonly id: number; readonly result: CodeResult };

/** A worker as its owner sees it, in a page or in Node. */
export interface SandboxPort {
  post(message: ToWorker): void;
  /** Called once, before anything is posted. */
  listen(onMessage: (message: FromWorker) => void, onFailure: (reason: string) => void): void;
  terminate(): void;
}
