import type { KernelError } from "#core/errors.ts";

/**
 * What a device objects to is only known later. Whatever is done inside `scoped` is judged in the background; the first objection is
 * kept in `failure`, and `settled` waits for the judgements asked for so far.
 */
export class ErrorWatch {
  readonly #device: GPUDevice;
  readonly #pending = new Set<Promise<void>>();
  failure: KernelError | undefined;

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  scoped<T>(filter: GPUErrorFilter, action: () => T, describe: (message: string) => KernelError | Promise<KernelError>): T {
    this.#device.pushErrorScope(filter);
    const result = action();
    const judged = this.#device
      .popErrorScope()
      .then(async (error) => {
        if (error !== null) this.failure ??= await describe(error.message);
      })
      // Asking fails only where the device is gone, and its loss is told elsewhere.
      .catch(() => undefined);
    this.#pending.add(judged);
    void judged.finally(() => this.#pending.delete(judged));
    return result;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }
}
