import type { BackendChoice, BackendReport, OpenRun } from "./runtime.ts";

/** Waits before a new device is asked for, in milliseconds, and how often a lost one is replaced. */
const BACK_OFF = [0, 1_000, 4_000] as const;
const DEVICES_REPLACED = 2;

export interface ReopenParts {
  /** The run from its last kept update on; null where that fails. */
  open(choice: BackendChoice): Promise<OpenRun | null>;
  sleep(milliseconds: number): Promise<void>;
  isStopping(): boolean;
}

/** What a thread has been through with its graphics devices, and what follows from it. */
export class DeviceRecovery {
  #losses = 0;
  #isGivenUp = false;

  /** On a new device; on the processor where none comes, or after too many losses. Null where nothing opens, or it is stopped. */
  async reopen({ open, sleep, isStopping }: ReopenParts): Promise<OpenRun | null> {
    this.#losses += 1;
    for (const wait of this.#losses <= DEVICES_REPLACED ? BACK_OFF : []) {
      if (wait > 0) await sleep(wait);
      if (isStopping()) return null;
      const anew = await open("webgpu");
      if (anew?.backend.backend === "webgpu") return { ...anew, backend: this.told(anew.backend) };
      anew?.dispose();
    }
    this.#isGivenUp = true;
    const fallback = isStopping() ? null : await open("wasm");
    return fallback === null ? null : { ...fallback, backend: this.told(fallback.backend) };
  }

  /** After too many losses "automatic" is the processor; who asks for WebGPU by name gets it. */
  allowed(choice: BackendChoice): BackendChoice {
    return this.#isGivenUp && choice === "automatic" ? "wasm" : choice;
  }

  told(report: BackendReport): BackendReport {
    if (!this.#isGivenUp || report.backend !== "wasm") return report;
    return { ...report, reason: `the graphics device was lost ${this.#losses === 1 ? "and did not come back" : `${this.#losses} times`}: WASM runs` };
  }
}
